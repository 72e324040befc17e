// What the search's process does. From when it is forked to its end it is alone: what another thread was in the midst
// of stays so, a held lock too. It therefore has an alarm, and says by then what it knows.

#define _GNU_SOURCE
#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include "Child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int answers_go_to;
/// What is known if nothing is found from here on; 0 while that is nothing.
static volatile sig_atomic_t known_outcome;
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

/// Says what has been found, or else how the search ended, once.
static _Noreturn void answer(enum cri_outcome outcome, bool is_late) {
  // Of an answer only the head is sent if there are no bytes: it need not be on a signal's stack.
  static struct cri_answer without_path;
  is_answering = 1;
  without_path.outcome = outcome;
  without_path.is_late = is_late;
  send(walk.complete != NULL ? walk.complete : &without_path);
  _exit(0);
}

static void end_of_child(int signal) {
  bool is_late = signal == SIGALRM;
  // In the midst of an answer lateness is the parent's affair.
  if (is_answering && is_late) return;
  if (is_answering) _exit(1);
  if (!is_late) cri_recover();
  enum cri_outcome known = (enum cri_outcome)known_outcome;
  answer(known != 0 ? known : is_late ? CRI_OUTCOME_TIMEOUT : CRI_OUTCOME_CRASH, is_late);
}

/// No handler of the program runs in the child, and a crash leaves neither words nor a core.
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

/// Nobody's socket or lock of a file stays open because of the child, and the runtime, which explains itself before it
/// gives up, is not heard. The pipe may have had a standard file's number where those are closed.
static void take_leave_of_files(int pipe) {
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

static void err_on_purpose(const struct cri_search *search, unsigned attempt) {
  bool hangs = search->fault == CRI_FAULT_HANG ||
               (search->fault == CRI_FAULT_HANG_AT_FIRST && attempt == 0);
  // As one that waits for a lock, and its alarm does not come either.
  if (search->fault == CRI_FAULT_HANG) signal(SIGALRM, SIG_IGN);
  while (hangs) pause();
  if (search->fault == CRI_FAULT_CRASH) *(volatile int *)(uintptr_t)8 = 0;
  if (search->fault == CRI_FAULT_EXIT) _exit(1);
}

static void search_from_roots(void) {
  cri_start(&walk);
  for (size_t i = 0; i < walk.search->root_count; i++) {
    uint32_t node = walk.node_count;
    uintptr_t root = (uintptr_t)walk.search->roots[i];
    if (root != walk.suspect && cri_add_root(&walk, root)) walk.root_numbers[node] = (uint32_t)i;
  }
  cri_run(&walk);
}

_Noreturn void cri_search_in_child(const struct cri_search *search, const struct cri_child *it) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Who is gone already sends no signal.
  if (getppid() != it->parent) _exit(1);
  take_leave_of_files(it->pipe);
  reset_signals();
  set_alarm(it->deadline);
  err_on_purpose(search, it->attempt);
  walk.deadline = it->deadline;
  if (!cri_prepare(&walk, search)) answer(CRI_OUTCOME_NO_MEMORY, false);
  cri_exclude_current_task(&walk);
  cri_start(&walk);
  cri_add_root(&walk, walk.suspect);
  cri_run(&walk);
  if (walk.complete == NULL && search->root_count > 0 && !walk.is_late) search_from_roots();
  if (walk.is_late) answer(CRI_OUTCOME_TIMEOUT, true);
  if (walk.is_full) answer(CRI_OUTCOME_TOO_LARGE, false);
  // Tasks are guessed at: what goes wrong from here on takes back nothing of what is known.
  known_outcome = walk.has_skipped ? CRI_OUTCOME_CRASH : CRI_OUTCOME_NONE;
  if (walk.complete == NULL && search->finds_tasks && search->is_shared) cri_scan_tasks(&walk);
  answer((enum cri_outcome)known_outcome, walk.is_late);
}

#endif
