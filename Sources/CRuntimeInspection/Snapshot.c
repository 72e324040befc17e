// The search's two processes. The child is a copy of this one with one thread: nothing moves under its walk. It says
// what it found through a pipe and is gone; whatever it does wrong, this process only waits, and not for long.
//
// Before the fork this process has the runtime resolve the types of the suspect's fields (`cri_warm`): nothing else
// here reads what the runtime keeps, and that only if a search has worked before.

#define _GNU_SOURCE
#include <CRetainPaths.h>
#include <string.h>

#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include "Child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/// By how many tenths of the time each attempt is over. A lock that a thread held when this process was forked nobody
/// releases in the child: the next child will hardly meet it again.
static const unsigned tenths[] = {1, 4, 10};

/// How many milliseconds a search waits for its child to be gone.
static const unsigned longest_wait = 100;

/// Reads until `size` bytes have come; false if the other end is closed or the time is over.
static bool receive(int from, void *to, size_t size, uint64_t deadline, uint32_t *outcome) {
  char *bytes = to;
  while (size > 0) {
    uint64_t now = cri_now();
    if (now >= deadline) return *outcome = CRI_OUTCOME_TIMEOUT, false;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    // One millisecond more, or the last one would be spent asking.
    int ready = poll(&wait, 1, (int)((deadline - now) / 1000000 + 1));
    if (ready <= 0) continue;
    ssize_t got = read(from, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return *outcome = CRI_OUTCOME_NO_ANSWER, false;
    bytes += got;
    size -= (size_t)got;
  }
  return true;
}

/// Forks while no signal is let in: a handler of the program would run in the child as well.
static pid_t start(const struct cri_search *search, struct cri_child *child) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  child->parent = getpid();
  pid_t process = fork();
  if (process == 0) cri_search_in_child(search, child);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return process;
}

static void attempt(const struct cri_search *search, struct cri_answer *answer, unsigned number,
                    uint64_t deadline) {
  memset(answer, 0, offsetof(struct cri_answer, bytes));
  answer->outcome = CRI_OUTCOME_NO_CHILD;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  uint64_t now = cri_now(), left = deadline > now ? deadline - now : 0;
  // A little before this process gives up, so that the child can say itself that it was too slow.
  struct cri_child child = {
      .pipe = ends[1], .deadline = deadline - left / 8, .attempt = number};
  pid_t process = start(search, &child);
  close(ends[1]);
  if (process > 0) {
    struct cri_process known = cri_know_child(process);
    size_t head = offsetof(struct cri_answer, bytes);
    uint32_t failure = CRI_OUTCOME_NO_ANSWER;
    bool is_whole = receive(ends[0], answer, head, deadline, &failure) &&
                    answer->byte_count <= sizeof answer->bytes &&
                    receive(ends[0], answer->bytes, answer->byte_count, deadline, &failure);
    if (!is_whole) answer->outcome = failure;
    bool ends_by_itself = is_whole || failure != CRI_OUTCOME_TIMEOUT;
    cri_end_child(known, ends_by_itself, search->fault == CRI_FAULT_END_LATE ? 0 : longest_wait);
  }
  close(ends[0]);
}

void cri_find_retain_path(const struct cri_search *search, struct cri_answer *answer) {
  uint64_t began = cri_now();
  if (search->warms) {
    cri_warm(search->suspect);
    for (size_t i = 0; i < search->root_count; i++) cri_warm(search->roots[i]);
  }
  uint32_t known = CRI_OUTCOME_TIMEOUT;
  for (unsigned i = 0; i < sizeof tenths / sizeof *tenths; i++) {
    attempt(search, answer, i, began + search->timeout_nanoseconds / 10 * tenths[i]);
    // What one knew that was late only in its guesses is not taken back by a later one that had no time.
    if (answer->outcome == CRI_OUTCOME_TIMEOUT) answer->outcome = known;
    else if (answer->outcome == CRI_OUTCOME_PATH || !answer->is_late) return;
    known = answer->outcome;
  }
}

#else

void cri_find_retain_path(const struct cri_search *search, struct cri_answer *answer) {
  (void)search;
  memset(answer, 0, sizeof *answer);
  answer->outcome = CRI_OUTCOME_UNSUPPORTED;
}

#endif
