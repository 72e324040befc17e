// The search process. It has one thread, and the work of the parent's other threads stopped at the
// fork: a lock that one of them held stays locked. So the child may hang. It sets an alarm, and
// answers with the best path so far when the alarm fires.

#define _GNU_SOURCE
#include "Layers.h"

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
static struct cri_walk walk;

static void send(const struct cri_answer *answer) {
  size_t size = offsetof(struct cri_answer, bytes) + answer->byte_count;
  const char *bytes = (const char *)answer;
  while (size > 0) {
    ssize_t sent = write(answers_go_to, bytes, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent;
    size -= (size_t)sent;
  }
}

/// Sends the best path, or the outcome if there is none, and ends the process.
static _Noreturn void answer(enum cri_outcome outcome, bool is_late) {
  // Static, because a signal's stack is too small for it. Without a path, `send` writes only the
  // head of an answer.
  static struct cri_answer without_path;
  is_answering = 1;
  without_path.outcome = outcome;
  without_path.is_late = is_late;
  send(walk.complete != NULL ? walk.complete : &without_path);
  _exit(0);
}

static void end_of_child(int signal) {
  bool is_late = signal == SIGALRM;
  // While the child sends an answer, the deadline of the parent applies.
  if (is_answering && is_late) return;
  if (is_answering) _exit(1);
  if (!is_late) cri_recover();
  enum cri_outcome known = (enum cri_outcome)walk.known_outcome;
  answer(known != 0 ? known : is_late ? CRI_OUTCOME_TIMEOUT : CRI_OUTCOME_CRASH, is_late);
}

/// Removes the handlers of the program, so that a crash prints nothing and leaves no core.
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
/// Redirects the standard files, to which the runtime writes before it traps. The pipe may have the
/// number of a standard file if the program closed that.
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

_Noreturn void cri_search_in_child(const struct cri_search *search, const struct cri_child *it) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that has already exited sends no signal.
  if (getppid() != it->parent) _exit(1);
  leave_files(it->pipe);
  reset_signals();
  set_alarm(it->deadline);
  walk.deadline = it->deadline;
  if (!cri_prepare(&walk, search)) answer(CRI_OUTCOME_NO_MEMORY, false);
  enum cri_outcome outcome = cri_search(&walk);
  answer(outcome, walk.is_late);
}

#endif
