#include <CForking.h>
#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

// Not by an alarm in the child: a thread's signals may be blocked, as those of libdispatch's are.
int cfk_run_in_child(int32_t (*body)(void *), void *context, unsigned seconds) {
#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
  return -1;  // There is no fork.
#else
  static const unsigned waits_per_second = 1000;
  pid_t process = fork();
  if (process < 0) return -1;
  if (process == 0) _exit(body(context));
  int status;
  const struct timespec wait = {.tv_nsec = 1000000000 / waits_per_second};
  for (unsigned waits = 0; waits < seconds * waits_per_second; waits++) {
    pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended != 0) return ended == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    nanosleep(&wait, NULL);
  }
  kill(process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return -1;
#endif
}
