#define _GNU_SOURCE
#include <CRetainFaults.h>
#include <dlfcn.h>

#include "../../Sources/CRuntimeInspection/HeapLayers.h"

bool crf_alarms_are_handled(void) {
#if __has_feature(thread_sanitizer)
  return false;
#else
  return true;
#endif
}

bool crf_uses_the_systems_allocator(void) {
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
  return false;
#elif CRI_CAN_SEARCH
  // jemalloc, which the trait Jemalloc links.
  return !dlsym(RTLD_DEFAULT, "mallctl");
#else
  return false;
#endif
}

#if CRI_CAN_SEARCH

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Thread_local enum crf_fault armed, current;
static _Thread_local unsigned left;

// The handlers run inside `fork`, where a sanitizer's own locks are held: they make system calls
// directly.

static CRI_UNCHECKED void before_fork(void) {
  current = left > 0 ? armed : CRF_NONE;
  if (left > 0) left--;
}

/// Sends a signal that is blocked until the child has installed its handlers.
static CRI_UNCHECKED void send_to_self(int signal) {
  syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), (long)signal);
}

static _Noreturn CRI_UNCHECKED void hang(void) {
  while (true) syscall(SYS_ppoll, NULL, 0ul, NULL, NULL, 0ul);
}

static CRI_UNCHECKED void in_child(void) {
  switch (current) {
    case CRF_NONE: return;
    case CRF_HANG: hang();
    case CRF_EXIT: syscall(SYS_exit_group, 1l); return;
    case CRF_CRASH: return send_to_self(SIGSEGV);
    case CRF_ALARM: return send_to_self(SIGALRM);
  }
}

static void install(void) { pthread_atfork(before_fork, NULL, in_child); }

void crf_arm(enum crf_fault fault, unsigned count) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  armed = fault;
  left = count;
}

const void *crf_broken_object(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct {
    struct {
      const void *metadata;
      uint64_t counts;
    } object;
    struct cri_class class_;
    struct cri_descriptor descriptor;
  } *it = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The description of the fields is in the second page.
  if (it == MAP_FAILED || mprotect((char *)it + page, page, PROT_NONE) != 0) abort();
  it->descriptor.flags = CRI_DESCRIPTOR_CLASS;
  it->descriptor.fields = (int32_t)((char *)it + page - (char *)&it->descriptor.fields);
  it->class_.instance_size = sizeof it->object;
  it->class_.descriptor = &it->descriptor;
  it->object.metadata = &it->class_;
  // A thousand strong references beside the first one, and the unowned reference that they hold
  // together.
  it->object.counts = (uint64_t)1000 << 33 | 3;
  return it;
}

uint32_t crf_search(const void *suspect, uint64_t nanoseconds, bool *is_late) {
  const struct cri_search search = {.suspect = suspect, .is_shared = true};
  struct cri_walk walk = {0};
  if (!cri_prepare(&walk, &search)) return CRI_OUTCOME_NO_MEMORY;
  walk.deadline = cri_now() + nanoseconds;
  const enum cri_outcome outcome = cri_search(&walk);
  *is_late = walk.is_late;
  const bool is_path = walk.complete != NULL;
  munmap((void *)walk.own_memory, walk.own_memory_end - walk.own_memory);
  return is_path ? CRI_OUTCOME_PATH : (uint32_t)outcome;
}

int crf_fork_idle(void) {
  pid_t process = fork();
  if (process == 0) {
    // A test that fails does not end it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hang();
  }
  return process;
}

bool crf_find_dominators(uint32_t count, uint32_t root, const uint64_t *first,
                         const uint32_t *targets, uint32_t *dominators) {
  const struct cri_graph graph = {
      .count = count, .root = root, .first = first, .targets = targets};
  return cri_find_dominators(&graph, dominators);
}

uint64_t crf_block_size(const void *object) { return malloc_usable_size((void *)object); }

static uint64_t draw(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static int ready;

static void *wait_with_random_words(void *seed) {
  uint64_t state = (uintptr_t)seed;
  volatile uint64_t words[256];
  for (size_t i = 0; i < 256; i++) words[i] = draw(&state);
  __atomic_add_fetch(&ready, 1, __ATOMIC_RELAXED);
  hang();
  return (void *)(uintptr_t)words[state % 256];
}

int crf_fork_with_threads(unsigned count) {
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) abort();
  pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (uintptr_t i = 0; i < count; i++) {
      pthread_t thread;
      if (pthread_create(&thread, &attributes, wait_with_random_words, (void *)i) != 0) _exit(1);
    }
    while (__atomic_load_n(&ready, __ATOMIC_RELAXED) < (int)count) usleep(1000);
    if (write(started[1], "", 1) != 1) _exit(1);
    hang();
  }
  close(started[1]);
  char byte;
  bool has_started = read(started[0], &byte, 1) == 1;
  close(started[0]);
  return has_started ? process : -1;
}

struct hostile_heap {
  unsigned count;
  char *own, *unmapped;
  uint64_t *blocks[];
};

enum { own_bytes = 1 << 20, unmapped_bytes = 16 << 12 };

static uint64_t hostile_word(struct hostile_heap *heap, uint64_t *state,
                             const void *const *pointers, unsigned pointer_count) {
  uint64_t number = draw(state);
  switch (number % 6) {
  case 0: return (uintptr_t)heap->unmapped + number / 6 % unmapped_bytes;
  case 1: return (uintptr_t)heap->own + number / 6 % own_bytes;
  case 2: return (uintptr_t)heap->blocks[number / 6 % heap->count] + number % 16;
  case 3: return (uintptr_t)pointers[number / 6 % pointer_count] + (number >> 60) % 3 * 8;
  case 4: return number >> 58;
  default: return number;
  }
}

void *crf_make_hostile_heap(uint64_t seed, unsigned count, const void *const *pointers,
                            unsigned pointer_count) {
  struct hostile_heap *heap = malloc(sizeof *heap + count * sizeof *heap->blocks);
  heap->count = count;
  heap->own = mmap(NULL, own_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  heap->unmapped =
      mmap(NULL, unmapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (heap->own == MAP_FAILED || heap->unmapped == MAP_FAILED) abort();
  munmap(heap->unmapped, unmapped_bytes);
  uint64_t state = seed;
  for (unsigned i = 0; i < count; i++) heap->blocks[i] = malloc(16 + draw(&state) % 500);
  for (unsigned i = 0; i < count; i++) {
    size_t words = malloc_usable_size(heap->blocks[i]) / 8;
    for (size_t j = 0; j < words; j++) {
      heap->blocks[i][j] = hostile_word(heap, &state, pointers, pointer_count);
    }
  }
  for (size_t j = 0; j < own_bytes / 8; j++) {
    ((uint64_t *)heap->own)[j] = hostile_word(heap, &state, pointers, pointer_count);
  }
  return heap;
}

void crf_free_hostile_heap(void *memory) {
  struct hostile_heap *heap = memory;
  for (unsigned i = 0; i < heap->count; i++) free(heap->blocks[i]);
  munmap(heap->own, own_bytes);
  free(heap);
}

int crf_fork_with_hostile_heap(unsigned count, const void *const *pointers,
                               unsigned pointer_count, int *seeds) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
  pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    void *heap = NULL;
    uint64_t seed;
    while (read(ends[1], &seed, sizeof seed) == sizeof seed) {
      if (heap) crf_free_hostile_heap(heap);
      heap = crf_make_hostile_heap(seed, count, pointers, pointer_count);
      if (write(ends[1], "", 1) != 1) break;
    }
    _exit(0);
  }
  close(ends[1]);
  *seeds = ends[0];
  return process;
}

bool crf_fill_hostile_heap(int seeds, uint64_t seed) {
  char byte;
  return write(seeds, &seed, sizeof seed) == sizeof seed && read(seeds, &byte, 1) == 1;
}

static const size_t arena_alignment = 64 << 20;

void *crf_map_broken_arena(size_t size) {
  char *memory = mmap(NULL, 2 * arena_alignment, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  uintptr_t *heap = (uintptr_t *)(((uintptr_t)memory + arena_alignment - 1) & -arena_alignment);
  // The addresses of the arena and of the previous heap, the size, and its writable part.
  heap[0] = (uintptr_t)(heap + 6);
  heap[2] = heap[3] = size;
  munmap((char *)heap + size, memory + 2 * arena_alignment - ((char *)heap + size));
  if ((char *)heap > memory) munmap(memory, (char *)heap - memory);
  return heap;
}

void crf_unmap_arena(void *arena) { munmap(arena, ((uintptr_t *)arena)[2]); }

int crf_fork_in_vfork(int *release) {
  int releasing[2], waiting[2];
  if (pipe2(releasing, O_CLOEXEC) != 0 || pipe2(waiting, O_CLOEXEC) != 0) abort();
  pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(releasing[1]);
    char byte = 0;
    if (vfork() == 0) {
      // Both calls fail only if the test has ended.
      _exit(write(waiting[1], &byte, 1) == 1 && read(releasing[0], &byte, 1) == 0 ? 0 : 1);
    }
    _exit(7);
  }
  close(releasing[0]);
  close(waiting[1]);
  char byte;
  bool waits = read(waiting[0], &byte, 1) == 1;
  close(waiting[0]);
  *release = releasing[1];
  return waits ? process : -1;
}

int crf_exit_status(int child, unsigned seconds) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (unsigned i = 0; i < 1000 * seconds; i++) {
    int status;
    if (waitpid(child, &status, WNOHANG) == child && WIFEXITED(status)) return WEXITSTATUS(status);
    nanosleep(&moment, NULL);
  }
  kill(child, SIGKILL);
  return -1;
}

void crf_end(int child) { cri_end_child(cri_know_child(child), false, 1000); }

void crf_end_children(unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    pid_t process = fork();
    if (process == 0) hang();
    if (process > 0) cri_end_child(cri_know_child(process), false, 0);
  }
}

#else

#include <stdlib.h>

void crf_arm(enum crf_fault fault, unsigned count) {}

const void *crf_broken_object(void) { abort(); }

uint32_t crf_search(const void *suspect, uint64_t nanoseconds, bool *is_late) {
  *is_late = false;
  return CRI_OUTCOME_UNSUPPORTED;
}

bool crf_find_dominators(uint32_t count, uint32_t root, const uint64_t *first,
                         const uint32_t *targets, uint32_t *dominators) {
  return false;
}

uint64_t crf_block_size(const void *object) { return 0; }

int crf_fork_with_threads(unsigned count) { return -1; }

void *crf_make_hostile_heap(uint64_t seed, unsigned count, const void *const *pointers,
                            unsigned pointer_count) {
  return NULL;
}

void crf_free_hostile_heap(void *heap) {}

int crf_fork_with_hostile_heap(unsigned count, const void *const *pointers,
                               unsigned pointer_count, int *seeds) {
  return -1;
}

bool crf_fill_hostile_heap(int seeds, uint64_t seed) { return false; }

void *crf_map_broken_arena(size_t size) { return NULL; }

void crf_unmap_arena(void *arena) {}

int crf_fork_idle(void) { return -1; }

int crf_fork_in_vfork(int *release) { return -1; }

int crf_exit_status(int child, unsigned seconds) { return -1; }

void crf_end(int child) {}

void crf_end_children(unsigned count) {}

#endif
