// Another process, stopped while this process counts its objects.
//
// A thread of this process seizes and interrupts each thread of the other process by `ptrace`.
// Neither the other process nor its parent notices. When the tracing thread ends, the system lets
// all threads continue. Nothing else frees a thread that did not stop in time, for example in
// `vfork`: the system refuses to detach a thread that runs.
// A thread may stop inside the allocator, between two changes of a chain: then a part of the chain
// is invalid, and the count starts again a moment later.

#define _GNU_SOURCE
#include <string.h>

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct thread {
  pid_t number;
  /// The signal to deliver when the thread continues; 0 for none.
  int signal;
  bool is_gone;
};

struct threads {
  struct thread *list;
  size_t count, capacity;
  /// The time at which the threads continued.
  uint64_t resumed;
};

static const unsigned attempts = 5;
static const struct timespec moment = {.tv_nsec = 500000};

static bool contains(const struct threads *it, pid_t number) {
  for (size_t i = 0; i < it->count; i++) {
    if (it->list[i].number == number) return true;
  }
  return false;
}

static bool add(struct threads *it, pid_t number) {
  if (it->count == it->capacity) {
    size_t capacity = it->capacity ? 2 * it->capacity : 64;
    struct thread *list = realloc(it->list, capacity * sizeof *list);
    if (list == NULL) return false;
    it->list = list;
    it->capacity = capacity;
  }
  it->list[it->count++] = (struct thread){.number = number};
  return true;
}

/// Waits until a thread has stopped; returns 0 or an outcome.
static enum cri_outcome wait_for_stop(struct thread *it, uint64_t deadline) {
  while (true) {
    int status;
    pid_t stopped = waitpid(it->number, &status, __WALL | WNOHANG);
    if (stopped < 0 && errno == EINTR) continue;
    if (stopped < 0 || (stopped > 0 && !WIFSTOPPED(status))) return it->is_gone = true, 0;
    if (stopped > 0) {
      // If the thread stopped for a signal instead of the interrupt, it gets the signal later.
      bool is_event = status >> 16 != 0;
      it->signal = is_event ? 0 : WSTOPSIG(status);
      return 0;
    }
    if (cri_now() > deadline) return CRI_OUTCOME_TIMEOUT;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  }
}

/// Stops the threads that `threads` does not contain yet; returns 0 or an outcome.
static enum cri_outcome stop_new_threads(int process, struct threads *threads, uint64_t deadline,
                                         size_t *stopped) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *folder = opendir(path);
  if (folder == NULL) return CRI_OUTCOME_NO_PROCESS;
  enum cri_outcome outcome = 0;
  struct dirent *entry;
  size_t first = threads->count;
  bool is_refused = false;
  while (outcome == 0 && (entry = readdir(folder)) != NULL) {
    pid_t number = atoi(entry->d_name);
    if (number <= 0 || contains(threads, number)) continue;
    if (ptrace(PTRACE_SEIZE, number, NULL, NULL) != 0) {
      // The system also refuses a thread that has ended before the others.
      is_refused |= errno == EPERM;
      continue;
    }
    if (!add(threads, number)) outcome = CRI_OUTCOME_NO_MEMORY;
    ptrace(PTRACE_INTERRUPT, number, NULL, NULL);
  }
  closedir(folder);
  if (is_refused && threads->count == 0) return CRI_OUTCOME_NOT_ALLOWED;
  for (size_t i = first; i < threads->count && outcome == 0; i++) {
    outcome = wait_for_stop(&threads->list[i], deadline);
  }
  *stopped = threads->count - first;
  return outcome;
}

/// Lets the stopped threads continue with their signals.
static void let_continue(void *context) {
  struct threads *threads = context;
  for (size_t i = 0; i < threads->count; i++) {
    const struct thread *it = &threads->list[i];
    if (!it->is_gone) ptrace(PTRACE_DETACH, it->number, NULL, (void *)(intptr_t)it->signal);
  }
  free(threads->list);
  threads->resumed = cri_now();
}

static void count_stopped(int process, uint64_t deadline, struct cri_heap *heap,
                          bool finds_paths) {
  struct threads threads = {0};
  enum cri_outcome outcome;
  size_t stopped;
  uint64_t began = cri_now();
  // A thread that still runs may start others, so this repeats until a round finds no new thread.
  do outcome = stop_new_threads(process, &threads, deadline, &stopped);
  while (outcome == 0 && stopped > 0);
  if (outcome == 0 && threads.count == 0) outcome = CRI_OUTCOME_NO_PROCESS;
  if (outcome == 0) {
    heap->resident_bytes = cri_resident_bytes(process);
    cri_count_all(process, deadline, heap, finds_paths, let_continue, &threads);
  } else {
    let_continue(&threads);
    heap->outcome = outcome;
  }
  heap->pause_nanoseconds = threads.resumed - began;
}

// MARK: The tracing thread

struct attempt {
  int process;
  uint64_t deadline;
  struct cri_heap *heap;
  bool finds_paths;
};

static void *perform(void *argument) {
  const struct attempt *it = argument;
  count_stopped(it->process, it->deadline, it->heap, it->finds_paths);
  return NULL;
}

static void perform_in_a_thread(struct attempt *it) {
  sigset_t all, before;
  sigfillset(&all);
  // The thread handles no signal of the program.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool has_begun = pthread_create(&thread, NULL, perform, it) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (has_begun) pthread_join(thread, NULL);
  else it->heap->outcome = CRI_OUTCOME_NO_MEMORY;
}

struct cri_heap *cri_take_heap_of(int process, uint64_t timeout_nanoseconds, bool finds_paths) {
  uint64_t deadline = cri_now() + timeout_nanoseconds;
  struct cri_heap *heap = NULL;
  for (unsigned i = 0; i < attempts; i++) {
    if (heap != NULL) cri_free_heap(heap);
    heap = cri_new_heap();
    if (heap == NULL) return NULL;
    perform_in_a_thread(&(struct attempt){process, deadline, heap, finds_paths});
    bool is_whole = heap->outcome != CRI_OUTCOME_COUNTED || heap->unread_bytes == 0;
    if (is_whole || cri_now() > deadline) break;
    nanosleep(&moment, NULL);
  }
  return heap;
}

#else

struct cri_heap *cri_take_heap(uint64_t timeout_nanoseconds, bool finds_paths) { return NULL; }
struct cri_heap *cri_take_heap_of(int process, uint64_t timeout_nanoseconds, bool finds_paths) {
  return NULL;
}
void cri_free_heap(struct cri_heap *heap) {}
bool cri_read_process(int process, uintptr_t address, void *to, size_t size) { return false; }

#endif
