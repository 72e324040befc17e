// The child process, which searches or counts. It has one thread. The parent's other threads do not
// exist in it, so a lock that one of them held at the fork stays locked, and the child may hang.
// Therefore it sets an alarm, and answers with its result so far when the alarm fires.

#define _GNU_SOURCE
#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int answers_go_to;
static volatile sig_atomic_t is_answering;
static unsigned char signal_stack[65536];
/// Answers with the child's result so far, and exits.
static void (*give_up)(enum cri_outcome outcome, bool is_late);

/// Sends a part of the answer. Once the first part is sent, an alarm no longer ends the child.
static void send(const void *part, size_t size) {
  is_answering = 1;
  const char *bytes = part;
  while (size > 0) {
    ssize_t sent = write(answers_go_to, bytes, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(1);
    bytes += sent;
    size -= (size_t)sent;
  }
}

static void end_of_child(int signal) {
  bool is_late = signal == SIGALRM;
  // While the child sends an answer, the deadline of the parent applies.
  if (is_answering && is_late) return;
  if (is_answering) _exit(1);
  if (!is_late) cri_recover();
  give_up(is_late ? CRI_OUTCOME_TIMEOUT : CRI_OUTCOME_CRASH, is_late);
}

/// Replaces the program's signal handlers, so that a crash prints nothing and leaves no core file:
/// a crash or the alarm runs `end_of_child`, and other signals have their default actions.
static void reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, NULL);
  const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  sigaltstack(&stack, NULL);
  action.sa_handler = end_of_child;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  const int ends[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGALRM};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) sigaction(ends[i], &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_alarm(uint64_t deadline) {
  uint64_t now = cri_now(), microseconds = deadline > now ? (deadline - now) / 1000 : 0;
  const struct itimerval alarm = {
      .it_value = {.tv_sec = (time_t)(microseconds / 1000000),
                   .tv_usec = (suseconds_t)(microseconds % 1000000 + 1)}};
  setitimer(ITIMER_REAL, &alarm, NULL);
}

/// Closes all files except the pipe, so that the child keeps no socket open and no file locked.
/// Redirects the standard files to /dev/null, because the runtime writes to them before it traps.
/// If the program closed a standard file, the pipe may have its number; so it gets a higher one
/// first.
static void leave_files(int pipe) {
  answers_go_to = fcntl(pipe, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (answers_go_to < 0) _exit(1);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int file = STDIN_FILENO; nothing >= 0 && file <= STDERR_FILENO; file++) {
    dup2(nothing, file);
  }
#ifdef SYS_close_range
  const unsigned long first = STDERR_FILENO + 1, own = (unsigned long)answers_go_to;
  if (own > first) syscall(SYS_close_range, first, own - 1, 0ul);
  syscall(SYS_close_range, own + 1, (unsigned long)UINT_MAX, 0ul);
#endif
}

static void enter(const struct cri_child *it, void (*gives_up)(enum cri_outcome, bool)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that has already exited sends no signal.
  if (getppid() != it->parent) _exit(1);
  leave_files(it->pipe);
  give_up = gives_up;
  reset_signals();
  set_alarm(it->deadline);
}

// MARK: A search

static struct cri_walk walk;

/// Sends the best path, or the outcome if there is none, and ends the process.
static _Noreturn void answer(enum cri_outcome outcome, bool is_late) {
  // Static, because an answer would take a large part of the signal's stack. Without a path, only
  // the head is sent.
  static struct cri_answer without_path;
  without_path.outcome = outcome;
  without_path.is_late = is_late;
  const struct cri_answer *best = walk.complete != NULL ? walk.complete : &without_path;
  send(best, offsetof(struct cri_answer, bytes) + best->byte_count);
  _exit(0);
}

static void give_up_search(enum cri_outcome outcome, bool is_late) {
  enum cri_outcome known = (enum cri_outcome)walk.known_outcome;
  answer(known != 0 ? known : outcome, is_late);
}

void cri_search_in_child(const struct cri_job *job, const struct cri_child *it) {
  enter(it, give_up_search);
  walk.deadline = it->deadline;
  if (!cri_prepare(&walk, job->request)) answer(CRI_OUTCOME_NO_MEMORY, false);
  enum cri_outcome outcome = cri_search(&walk);
  answer(outcome, walk.is_late);
}

// MARK: A count

static void give_up_count(enum cri_outcome outcome, bool is_late) {
  (void)is_late;
  // Some of the rows would look like a complete count.
  const struct cri_heap nothing = {.outcome = outcome};
  send(&nothing, sizeof nothing);
  _exit(0);
}

void cri_count_in_child(const struct cri_job *job, const struct cri_child *it) {
  enter(it, give_up_count);
  const bool finds_paths = *(const bool *)job->request;
  struct cri_heap *heap = cri_new_heap();
  if (heap == NULL) give_up_count(CRI_OUTCOME_NO_MEMORY, false);
  cri_count_all(getpid(), it->deadline, heap, finds_paths, NULL, NULL);
  send(heap, sizeof *heap);
  send(cri_heap_rows(heap), heap->row_count * sizeof(struct cri_heap_row));
  send(cri_heap_steps(heap), heap->step_count * sizeof(struct cri_heap_step));
  send(cri_heap_groups(heap), heap->group_count * sizeof(struct cri_heap_group));
  _exit(0);
}

#endif
