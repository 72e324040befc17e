#include <CShims.h>

#if defined(__linux__)
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

// From <linux/membarrier.h>, which not every system has.
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

bool cws_process_barrier_prepare(void) { return membarrier(REGISTER_PRIVATE_EXPEDITED) == 0; }

bool cws_process_barrier(void) {
  int before = errno;
  bool is_done = membarrier(PRIVATE_EXPEDITED) == 0;
  // A child process may have to register anew.
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
