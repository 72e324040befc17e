// How the search's process is ended. Its number may be another's by then where the program itself waits for its
// children, so that it is signalled, and waited for, by a descriptor, which is had while it surely lives.

#define _GNU_SOURCE

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include "Child.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Waits for it as `options` say; whether it is gone, or was somebody else's to wait for.
static bool is_gone(const struct cri_process *it, int options) {
  siginfo_t information = {0};
  int failure = EINVAL;
  // By descriptor: P_PIDFD, which older headers do not have.
  if (it->handle >= 0) {
    do {
      failure = waitid((idtype_t)3, (id_t)it->handle, &information, WEXITED | options) == 0 ? 0 : errno;
    } while (failure == EINTR);
  }
  if (failure == 0) return information.si_pid != 0;
  if (failure == ECHILD) return true;
  pid_t gone;
  do gone = waitpid(it->number, NULL, options);
  while (gone < 0 && errno == EINTR);
  return gone != 0;
}

static void forget(const struct cri_process *it) {
  if (it->handle >= 0) close(it->handle);
}

static void *wait_to_the_end(void *argument) {
  is_gone(argument, 0);
  forget(argument);
  free(argument);
  return NULL;
}

/// Whether a thread waits for it from now on.
static bool wait_apart(const struct cri_process *it) {
  struct cri_process *own = malloc(sizeof *own);
  pthread_attr_t attributes;
  if (own == NULL || pthread_attr_init(&attributes) != 0) return free(own), false;
  *own = *it;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The thread handles no signal of the program's.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool has_begun = pthread_create(&thread, &attributes, wait_to_the_end, own) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!has_begun) free(own);
  return has_begun;
}

static void wait_for(const struct cri_process *it, unsigned patience) {
  struct pollfd end = {.fd = it->handle, .events = POLLIN};
  // Without a descriptor there is nothing to be woken by.
  const struct timespec moment = {.tv_nsec = 1000000};
  for (unsigned i = 0; i < patience; i++) {
    if (is_gone(it, WNOHANG)) return forget(it);
    if (it->handle >= 0) poll(&end, 1, 1);
    else nanosleep(&moment, NULL);
  }
  // Never left behind: whoever waits for any child, as Swift Testing for those of its exit tests, would be told of
  // this one again and again, and of no other.
  if (wait_apart(it)) return;
  is_gone(it, 0);
  forget(it);
}

struct cri_process cri_know_child(pid_t process) {
  struct cri_process it = {.number = process, .handle = -1};
#ifdef SYS_pidfd_open
  it.handle = (int)syscall(SYS_pidfd_open, (long)process, 0ul);
  // Somebody has waited for it already; of a number that is a thread's by now, a kernel says one of the others.
  if (it.handle < 0 && (errno == ESRCH || errno == EINVAL || errno == ENOENT)) it.number = 0;
#endif
  return it;
}

void cri_end_child(struct cri_process child, bool ends_by_itself, unsigned patience) {
  if (child.number == 0) return;
  bool is_signalled = false;
#ifdef SYS_pidfd_send_signal
  if (child.handle >= 0) {
    is_signalled = syscall(SYS_pidfd_send_signal, (long)child.handle, (long)SIGKILL, NULL, 0ul) == 0 || errno == ESRCH;
  }
#endif
  if (!is_signalled && !ends_by_itself) kill(child.number, SIGKILL);
  wait_for(&child, patience);
}

#endif
