// The current process: its forks, the cores it may use, the signals it can catch, standard error.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <CShims.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif

// MARK: Forks

uint64_t cws_forks;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*fork_handler)(void);

static void in_child(void) {
  cws_forks++;
  // Relaxed: `cws_after_fork` stored the handler before it registered this function.
  __atomic_load_n(&fork_handler, __ATOMIC_RELAXED)();
}

static void register_handler(void) {
  if (pthread_atfork(NULL, NULL, in_child) != 0) abort();
}

void cws_after_fork(void (*handler)(void)) {
  // Relaxed: every caller passes the same handler, so only equal values can race.
  __atomic_store_n(&fork_handler, handler, __ATOMIC_RELAXED);
  pthread_once(&once, register_handler);
}

// MARK: Cores

long cws_online_cores(void) {
#if defined(_SC_NPROCESSORS_ONLN)
  return sysconf(_SC_NPROCESSORS_ONLN);
#else
  return -1;
#endif
}

long cws_affinity_cores(void) {
#if defined(__linux__)
  // Larger than any machine: the kernel rejects a set that is smaller than its own.
  enum { SETS = 64 };
  static cpu_set_t sets[SETS];
  if (sched_getaffinity(0, sizeof sets, sets) != 0) return -1;
  return CPU_COUNT_S(sizeof sets, sets);
#else
  return -1;
#endif
}

bool cws_read_line(const char *path, const char *prefix, char *line, long capacity) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool found = false;
  while (!found && fgets(line, (int)capacity, file)) {
    found = strncmp(line, prefix, strlen(prefix)) == 0;
  }
  fclose(file);
  if (found) line[strcspn(line, "\n")] = 0;
  return found;
}

// MARK: Signals and messages

bool cws_can_catch_signal(int number) {
  sigset_t set;
  sigemptyset(&set);
  // `sigaddset` rejects the signals that the C library reserves for itself.
  return number > 0 && number < NSIG && sigaddset(&set, number) == 0 && number != SIGKILL &&
         number != SIGSTOP;
}

#if defined(__APPLE__)
void cws_ignore_signal(int number) { signal(number, SIG_IGN); }
#endif

void cws_print_error(const char *line) { fprintf(stderr, "%s\n", line); }
