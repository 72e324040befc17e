// State that each thread owns: slots, a hook at its exit, its number, and under the trait
// Interleaving the scheduler that runs on it. Also the start of a thread.

#include <CShims.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
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

struct start {
  void (*body)(void *);
  void *value;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.value);
  return NULL;
}

bool cws_start_thread(void (*body)(void *), void *value) {
  struct start *start = malloc(sizeof *start);
  if (!start) return false;
  *start = (struct start){body, value};
  // The thread inherits the mask: a handler of the program must run on a thread of the program. But
  // a crash of the thread itself must reach the handlers that report crashes.
  static const int of_crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  sigset_t mask, before;
  sigfillset(&mask);
  for (size_t i = 0; i < sizeof of_crashes / sizeof *of_crashes; i++) sigdelset(&mask, of_crashes[i]);
  // The stack of a main thread: the thread runs the program's code.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) abort();
  pthread_attr_setstacksize(&attributes, 8 << 20);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  pthread_t thread;
  bool is_started = pthread_create(&thread, &attributes, run, start) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (is_started) {
    pthread_detach(thread);
  } else {
    free(start);
  }
  return is_started;
}

void cws_sleep_microseconds(long count) {
  struct timespec time = {0, count * 1000};
  nanosleep(&time, NULL);
}
