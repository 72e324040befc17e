// The requesting process. The child is a copy of it with one thread, so no memory changes during
// the child's walk. The child writes its answer to a pipe and exits. A failure of the child costs
// this process only time, and that is limited.
//
// If the program itself waits for its children, the child's number may belong to another process
// when this process kills it. Therefore this process opens a descriptor of the child immediately
// after the fork, and uses it to signal the child and to wait for it.
//
// Only the child resolves types: the runtime crashes for some of them, and this process could not
// recover from that. A lock of the runtime that another thread held at the fork costs one attempt.

#define _GNU_SOURCE
#include <string.h>

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: The child's end

/// Waits for the child with `options`; returns whether it has ended, even if other code has already
/// waited for it.
static bool is_gone(const struct cri_process *it, int options) {
  siginfo_t information = {0};
  int failure = EINVAL;
  // 3 is P_PIDFD, which older headers lack.
  if (it->handle >= 0) {
    do {
      int result = waitid((idtype_t)3, (id_t)it->handle, &information, WEXITED | options);
      failure = result == 0 ? 0 : errno;
    } while (failure == EINTR);
  }
  if (failure == 0) return information.si_pid != 0;
  if (failure == ECHILD) return true;
  pid_t gone;
  do gone = waitpid(it->number, NULL, options);
  while (gone < 0 && errno == EINTR);
  return gone != 0;
}

static void close_handle(const struct cri_process *it) {
  if (it->handle >= 0) close(it->handle);
}

static void *wait_until_gone(void *argument) {
  is_gone(argument, 0);
  close_handle(argument);
  free(argument);
  return NULL;
}

/// Starts a thread that waits for the child; returns whether it succeeded.
static bool wait_in_a_thread(const struct cri_process *it) {
  struct cri_process *own = malloc(sizeof *own);
  pthread_attr_t attributes;
  if (own == NULL || pthread_attr_init(&attributes) != 0) return free(own), false;
  *own = *it;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The thread handles no signal of the program.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool has_begun = pthread_create(&thread, &attributes, wait_until_gone, own) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!has_begun) free(own);
  return has_begun;
}

static void wait_for(const struct cri_process *it, unsigned patience) {
  struct pollfd end = {.fd = it->handle, .events = POLLIN};
  // Without a descriptor there is no event to wait for.
  const struct timespec moment = {.tv_nsec = 1000000};
  for (unsigned i = 0; i < patience; i++) {
    if (is_gone(it, WNOHANG)) return close_handle(it);
    if (it->handle >= 0) poll(&end, 1, 1);
    else nanosleep(&moment, NULL);
  }
  // Never leave a zombie: code that waits for any child, such as Swift Testing for its exit tests,
  // would receive this child again and again, and no other one.
  if (wait_in_a_thread(it)) return;
  is_gone(it, 0);
  close_handle(it);
}

struct cri_process cri_know_child(pid_t process) {
  struct cri_process it = {.number = process, .handle = -1};
#ifdef SYS_pidfd_open
  it.handle = (int)syscall(SYS_pidfd_open, (long)process, 0ul);
  // With these errors, other code has already waited for the child. Kernels return different errors
  // for a number that now belongs to a thread.
  if (it.handle < 0 && (errno == ESRCH || errno == EINVAL || errno == ENOENT)) it.number = 0;
#endif
  return it;
}

void cri_end_child(struct cri_process child, bool ends_by_itself, unsigned patience) {
  if (child.number == 0) return;
  bool is_signalled = false;
#ifdef SYS_pidfd_send_signal
  if (child.handle >= 0) {
    long result =
        syscall(SYS_pidfd_send_signal, (long)child.handle, (long)SIGKILL, NULL, 0ul);
    is_signalled = result == 0 || errno == ESRCH;
  }
#endif
  if (!is_signalled && !ends_by_itself) kill(child.number, SIGKILL);
  wait_for(&child, patience);
}

// MARK: The child's answer

/// The end of each attempt of a search, in tenths of its time limit. A lock that another thread
/// held at the fork stays locked in the child and may stop it; the next child rarely needs a held
/// lock.
static const unsigned tenths[] = {1, 4, 10};

/// The maximum number of milliseconds to wait for the end of a child after its answer.
static const unsigned longest_wait = 100;

/// Reads `size` bytes; returns false, and sets `outcome`, if the other end closes or the time is
/// over.
static bool receive(int from, void *to, size_t size, uint64_t deadline, uint32_t *outcome) {
  char *bytes = to;
  while (size > 0) {
    uint64_t now = cri_now();
    if (now >= deadline) return *outcome = CRI_OUTCOME_TIMEOUT, false;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    // Rounded up: otherwise the last millisecond would be a busy loop.
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

/// Forks with all signals blocked: otherwise a handler of the program could run in the child.
static pid_t start(struct cri_job *job, struct cri_child *child) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  child->parent = getpid();
  uint64_t before_fork = cri_now();
  pid_t process = fork();
  if (process == 0) job->run(job, child);
  job->fork_nanoseconds = cri_now() - before_fork;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return process;
}

/// Runs a job in a child until the deadline; returns 0, or the outcome if there is no answer.
static uint32_t run(struct cri_job *job, uint64_t deadline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return CRI_OUTCOME_NO_CHILD;
  uint64_t now = cri_now(), left = deadline > now ? deadline - now : 0;
  // The child's deadline is earlier, so that the child can still send its result so far.
  struct cri_child child = {.pipe = ends[1], .deadline = deadline - left / 8};
  pid_t process = start(job, &child);
  close(ends[1]);
  uint32_t failure = CRI_OUTCOME_NO_CHILD;
  if (process > 0) {
    struct cri_process known = cri_know_child(process);
    failure = CRI_OUTCOME_NO_ANSWER;
    bool is_whole = job->receive(ends[0], job->answer, deadline, &failure);
    bool ends_by_itself = is_whole || failure != CRI_OUTCOME_TIMEOUT;
    if (is_whole) failure = 0;
    cri_end_child(known, ends_by_itself, longest_wait);
  }
  close(ends[0]);
  return failure;
}

// MARK: Searches

static bool receive_path(int from, void *to, uint64_t deadline, uint32_t *failure) {
  struct cri_answer *answer = to;
  return receive(from, answer, offsetof(struct cri_answer, bytes), deadline, failure) &&
         answer->byte_count <= sizeof answer->bytes &&
         receive(from, answer->bytes, answer->byte_count, deadline, failure);
}

static void attempt(const struct cri_search *search, struct cri_answer *answer,
                    uint64_t deadline) {
  memset(answer, 0, offsetof(struct cri_answer, bytes));
  struct cri_job job = {
      .run = cri_search_in_child, .request = search, .receive = receive_path, .answer = answer};
  uint32_t failure = run(&job, deadline);
  if (failure != 0) answer->outcome = failure;
}

void cri_find_retain_path(const struct cri_search *search, struct cri_answer *answer) {
  uint64_t began = cri_now();
  uint32_t known = CRI_OUTCOME_TIMEOUT;
  for (unsigned i = 0; i < sizeof tenths / sizeof *tenths; i++) {
    attempt(search, answer, began + search->timeout_nanoseconds / 10 * tenths[i]);
    // An attempt that ran out of time only during its guesses has an outcome, which the timeout of
    // a later attempt does not replace.
    if (answer->outcome == CRI_OUTCOME_TIMEOUT) answer->outcome = known;
    else if (answer->outcome == CRI_OUTCOME_PATH || !answer->is_late) return;
    known = answer->outcome;
  }
}

// MARK: Counts

static bool receive_heap(int from, void *to, uint64_t deadline, uint32_t *failure) {
  struct cri_heap *heap = to;
  if (!receive(from, heap, sizeof *heap, deadline, failure)) return false;
  bool is_small = heap->row_count <= cri_most_heap_rows &&
                  heap->step_count <= cri_most_heap_steps &&
                  heap->group_count <= cri_most_heap_groups;
  if (!is_small) return false;
  size_t rows = heap->row_count * sizeof(struct cri_heap_row);
  size_t steps = heap->step_count * sizeof(struct cri_heap_step);
  size_t groups = heap->group_count * sizeof(struct cri_heap_group);
  return receive(from, (void *)cri_heap_rows(heap), rows, deadline, failure) &&
         receive(from, (void *)cri_heap_steps(heap), steps, deadline, failure) &&
         receive(from, (void *)cri_heap_groups(heap), groups, deadline, failure);
}

struct cri_heap *cri_take_heap(uint64_t timeout_nanoseconds, bool finds_paths) {
  struct cri_heap *heap = cri_new_heap();
  if (heap == NULL) return NULL;
  uint64_t resident = cri_resident_bytes(getpid());
  struct cri_job job = {.run = cri_count_in_child,
                        .request = &finds_paths,
                        .receive = receive_heap,
                        .answer = heap};
  // One attempt: the child calls nothing that takes a lock.
  uint32_t failure = run(&job, cri_now() + timeout_nanoseconds);
  if (failure != 0) heap->outcome = failure;
  heap->process = getpid();
  heap->resident_bytes = resident;
  heap->pause_nanoseconds = job.fork_nanoseconds;
  return heap;
}

#else

void cri_find_retain_path(const struct cri_search *search, struct cri_answer *answer) {
  (void)search;
  memset(answer, 0, sizeof *answer);
  answer->outcome = CRI_OUTCOME_UNSUPPORTED;
}

#endif
