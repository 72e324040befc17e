// Futexes, and a memory barrier on every thread of the process.

#include <CShims.h>

// With the trait WeakBoxes, Linux does without, as other systems do.
#if defined(__linux__) && !defined(WEAK_BOXES)
#define HAS_LINUX_CALLS 1
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <os/os_sync_wait_on_address.h>
#else
#include <sched.h>
#endif

// MARK: Futex

#if HAS_LINUX_CALLS
void cws_futex_wait(const uint32_t *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, (void *)0, (void *)0, 0);
}

void cws_futex_wake_one(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
}

void cws_futex_wake_all(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, (void *)0, (void *)0, 0);
}

#elif defined(__APPLE__)
void cws_futex_wait(const uint32_t *word, uint32_t expected) {
  os_sync_wait_on_address((void *)word, expected, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE);
}

void cws_futex_wake_one(const uint32_t *word) {
  os_sync_wake_by_address_any((void *)word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
}

void cws_futex_wake_all(const uint32_t *word) {
  os_sync_wake_by_address_all((void *)word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
}

#else
// A system without futexes yields the processor once; the contract allows an early return.
void cws_futex_wait(const uint32_t *word, uint32_t expected) {
  // Sequentially consistent, as in Swift; pairs with the change of the word before a wake.
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) sched_yield();
}

void cws_futex_wake_one(const uint32_t *word) { (void)word; }

void cws_futex_wake_all(const uint32_t *word) { (void)word; }
#endif

// MARK: Barriers

#if HAS_LINUX_CALLS
// From <linux/membarrier.h>, which is missing on some systems.
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

bool cws_process_barrier_prepare(void) { return membarrier(REGISTER_PRIVATE_EXPEDITED) == 0; }

bool cws_process_barrier(void) {
  int before = errno;
  bool is_done = membarrier(PRIVATE_EXPEDITED) == 0;
  // A child process may have to register again.
  if (!is_done && errno == EPERM && cws_process_barrier_prepare()) {
    is_done = membarrier(PRIVATE_EXPEDITED) == 0;
  }
  errno = before;
  return is_done;
}

#else
bool cws_process_barrier_prepare(void) { return false; }
bool cws_process_barrier(void) { return false; }
#endif
