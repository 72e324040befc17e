#include <CForking.h>
#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const unsigned waits_per_second = 1000;

// Not by an alarm in the child: a thread's signals may be blocked, as those of libdispatch's are.
int cfk_run_in_child(int32_t (*body)(void *), void *context, unsigned seconds) {
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
}
