// State that each thread owns: slots, a hook at its exit, its number, and under the trait
// Interleaving the scheduler that runs on it.

#include <CShims.h>
#include <pthread.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Thread_local void *cws_slots[CWS_SLOT_COUNT];
_Thread_local long cws_failed_compare_exchanges;

#if INTERLEAVING
_Thread_local const cws_scheduler *cws_current_scheduler;
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static void (*exit_handler)(void *);

static void at_exit(void *value) {
  // Relaxed: this thread stored the handler itself, before it set the value for the key.
  __atomic_load_n(&exit_handler, __ATOMIC_RELAXED)(value);
}

static void create_key(void) {
  if (pthread_key_create(&key, at_exit) != 0) abort();
}

void cws_at_thread_exit(void (*handler)(void *), void *value) {
  // Relaxed: every caller passes the same handler, so only equal values can race.
  __atomic_store_n(&exit_handler, handler, __ATOMIC_RELAXED);
  pthread_once(&once, create_key);
  if (pthread_setspecific(key, value) != 0) abort();
}

uint64_t cws_thread_number(void) {
#if defined(__linux__)
  return (uint64_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(NULL, &number);
  return number;
#else
  return (uint64_t)(uintptr_t)pthread_self();
#endif
}
