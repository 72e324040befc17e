// Traps: the signals with which Swift ends a program that violates a precondition.
//
// A watched thread that traps reports its signal and then waits forever in the handler, so that the
// process lives on. What the thread holds is never released. On any other thread, the handler
// prints the notes and passes the signal on.

#include <CInterleaving.h>

#if defined(__linux__) || defined(__APPLE__)
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Without the faults of memory: a thread may hold the allocator's lock then.
static const int signals[] = {SIGABRT, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals, NOTE_COUNT = 64 };

static struct sigaction previous[SIGNAL_COUNT];
static _Thread_local int report_end = -1;
// Acquiring and releasing: the handler reads the text behind the pointer.
static char *_Atomic notes[NOTE_COUNT];

static void print_notes(void) {
  for (int i = 0; i < NOTE_COUNT; i++) {
    const char *note = atomic_load_explicit(&notes[i], memory_order_acquire);
    if (note && write(STDERR_FILENO, note, strlen(note)) < 0) return;
  }
}

static void handle(int number, siginfo_t *information, void *context) {
  (void)context;
  if (report_end >= 0) {
    unsigned char byte = (unsigned char)number;
    while (write(report_end, &byte, 1) < 0 && errno == EINTR) {
    }
    for (;;) pause();
  }
  print_notes();
  for (int i = 0; i < SIGNAL_COUNT; i++) {
    if (signals[i] == number) sigaction(number, &previous[i], NULL);
  }
  // An instruction that traps is repeated, and with it its signal. One that was sent is not.
  if (information->si_code <= 0) raise(number);
}

static void install(void) {
  struct sigaction action = {0};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i], &action, &previous[i]);
}

static void watch_traps(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}

typedef struct trapping_work {
  void (*body)(void *);
  void *context;
  int report_end;
  struct trapping_work *next;
} trapping_work;

/// The work of the threads that trapped and wait forever. They still refer to it, which a search
/// for leaks does not see if a register has the reference.
static _Atomic(trapping_work *) abandoned;

static void abandon(trapping_work *work) {
  // Relaxed: nobody reads the list.
  work->next = atomic_load_explicit(&abandoned, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&abandoned, &work->next, work,
                                                memory_order_relaxed, memory_order_relaxed)) {
  }
}

static void *run_work(void *argument) {
  trapping_work *work = argument;
  report_end = work->report_end;
  work->body(work->context);
  unsigned char none = 0;
  while (write(report_end, &none, 1) < 0 && errno == EINTR) {
  }
  report_end = -1;
  return NULL;
}

int32_t cil_run_until_trap(void (*body)(void *), void *context) {
  watch_traps();
  int ends[2];
  if (pipe(ends) != 0) return -1;
  trapping_work *work = malloc(sizeof *work);
  if (work != NULL) *work = (trapping_work){.body = body, .context = context, .report_end = ends[1]};
  pthread_t thread;
  int32_t result = -1;
  if (work != NULL && pthread_create(&thread, NULL, run_work, work) == 0) {
    unsigned char byte = 0;
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    byte == 0 ? pthread_join(thread, NULL) : pthread_detach(thread);
    result = byte;
  }
  result > 0 ? abandon(work) : free(work);
  close(ends[0]);
  close(ends[1]);
  return result;
}

int32_t cil_add_trap_note(const char *text) {
  watch_traps();
  char *copy = strdup(text);
  for (int32_t i = 0; copy && i < NOTE_COUNT; i++) {
    char *none = NULL;
    if (atomic_compare_exchange_strong_explicit(
            &notes[i], &none, copy, memory_order_release, memory_order_relaxed)) {
      return i;
    }
  }
  free(copy);
  return -1;
}

void cil_remove_trap_note(int32_t number) {
  if (number < 0) return;
  // A trap at this moment may print freed memory, and the process ends.
  free(atomic_exchange_explicit(&notes[number], NULL, memory_order_acq_rel));
}

#else
int32_t cil_run_until_trap(void (*body)(void *), void *context) {
  body(context);
  return 0;
}
int32_t cil_add_trap_note(const char *text) { return -1; }
void cil_remove_trap_note(int32_t number) {}
#endif
