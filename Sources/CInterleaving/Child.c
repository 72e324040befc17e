// For `wait4`.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <CInterleaving.h>

#if defined(__linux__) || (defined(__APPLE__) && __has_include(<TargetConditionals.h>))
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif
#if defined(__linux__) || TARGET_OS_OSX
#define HAS_CHILDREN 1
#endif
#endif

#if HAS_CHILDREN
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Resets what the child inherits: a fault must end it immediately, without a handler of the parent,
// a core file or a backtrace, and it must not outlive its parent.
static void forget_parent(void) {
  static const int signals[] = {SIGABRT, SIGBUS,  SIGFPE, SIGILL, SIGINT,
                                SIGSEGV, SIGTERM, SIGTRAP, SIGPIPE};
  for (unsigned long i = 0; i < sizeof signals / sizeof *signals; i++) {
    signal(signals[i], SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  struct rlimit nothing = {0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

bool cil_child_start(cil_child *child, void (*body)(void *), void *context) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    forget_parent();
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    body(context);
    _exit(0);
  }
  close(ends[1]);
  child->process = process;
  child->error_output = ends[0];
  return true;
}

long cil_child_read(const cil_child *child, char *bytes, long capacity, int milliseconds) {
  struct pollfd end = {.fd = child->error_output, .events = POLLIN};
  if (poll(&end, 1, milliseconds) <= 0) return -1;
  long count = read(child->error_output, bytes, (size_t)capacity);
  return count < 0 && errno == EINTR ? -1 : (count < 0 ? 0 : count);
}

int cil_child_finish(cil_child *child) {
  close(child->error_output);
  int status = 0;
  struct rusage usage = {0};
  while (wait4(child->process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  child->waits = usage.ru_nvcsw;
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool cil_child_has_ended(const cil_child *child) {
  siginfo_t information = {0};
  int flags = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, (id_t)child->process, &information, flags) == 0 && information.si_pid != 0;
}

bool cil_child_is_waiting(const cil_child *child) {
#if defined(__linux__)
  char text[256];
  snprintf(text, sizeof text, "/proc/%d/stat", child->process);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  text[count > 0 ? count : 0] = 0;
  // The state follows the name, which is in parentheses and may have some itself.
  const char *end = strrchr(text, ')');
  return end && strncmp(end, ") S", 3) == 0;
#else
  return false;
#endif
}

void cil_child_kill(const cil_child *child) { kill(child->process, SIGKILL); }

#else
bool cil_child_start(cil_child *child, void (*body)(void *), void *context) { return false; }
long cil_child_read(const cil_child *child, char *bytes, long capacity, int milliseconds) {
  return 0;
}
int cil_child_finish(cil_child *child) { return 0; }
bool cil_child_has_ended(const cil_child *child) { return true; }
bool cil_child_is_waiting(const cil_child *child) { return false; }
void cil_child_kill(const cil_child *child) {}
#endif
