#include <CShims.h>
#include <pthread.h>
#include <stdlib.h>
#include <signal.h>
#include <stdio.h>

uint64_t cws_forks;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*fork_handler)(void);

static void in_child(void) {
  cws_forks++;
  // Relaxed: stored before this was registered.
  __atomic_load_n(&fork_handler, __ATOMIC_RELAXED)();
}

static void register_handler(void) {
  if (pthread_atfork(NULL, NULL, in_child) != 0) abort();
}

void cws_after_fork(void (*handler)(void)) {
  // Every caller passes the same handler, so a plain store would race only with itself.
  __atomic_store_n(&fork_handler, handler, __ATOMIC_RELAXED);
  pthread_once(&once, register_handler);
}

bool cws_can_catch_signal(int number) {
  sigset_t set;
  sigemptyset(&set);
  // The C library refuses what it keeps for itself.
  return number > 0 && number < NSIG && sigaddset(&set, number) == 0 && number != SIGKILL &&
         number != SIGSTOP;
}

#if defined(__APPLE__)
void cws_ignore_signal(int number) { signal(number, SIG_IGN); }
#endif

void cws_print_error(const char *line) { fprintf(stderr, "%s\n", line); }
