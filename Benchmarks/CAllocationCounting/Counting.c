// Interposed functions of the C allocator: each calls jemalloc's function and, while counting is
// on, adds up the sizes that jemalloc really used.
//
// jemalloc's own facilities do not suffice. Its statistics are inexact while threads keep caches.
// Its thread counters, which separate the roles, do not cover threads that the benchmark does not
// own, such as Dispatch's. Its experimental hooks leave a thread that ends just after their removal
// in the list of live threads, which crashes jemalloc 5.3.
//
// While counting is off, an allocation costs one more relaxed load and one more indirect call.

#define _GNU_SOURCE
#include <CAllocationCounting.h>

#ifndef JEMALLOC

bool cac_is_available(void) { return false; }
void cac_set_counting(bool counting) { (void)counting; }
cac_counts cac_read(void) { return (cac_counts){0, 0, 0}; }
void cac_reset_peak(void) {}
long cac_read_live_bytes(void) { return -1; }
cac_thread_counters cac_counters_of_this_thread(void) { return (cac_thread_counters){0, 0}; }

#else

#include <dlfcn.h>
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// All relaxed: the sums are read while the counted threads wait at a barrier, which orders them.
static atomic_bool is_counting;
static atomic_long allocated, freed, peak;

static inline void note_allocation(void *memory) {
  if (!atomic_load_explicit(&is_counting, memory_order_relaxed) || !memory) return;
  long size = (long)sallocx(memory, 0);
  long total = atomic_fetch_add_explicit(&allocated, size, memory_order_relaxed) + size;
  long live = total - atomic_load_explicit(&freed, memory_order_relaxed);
  long highest = atomic_load_explicit(&peak, memory_order_relaxed);
  while (live > highest && !atomic_compare_exchange_weak_explicit(
             &peak, &highest, live, memory_order_relaxed, memory_order_relaxed)) {}
}

static inline void note_freeing(void *memory) {
  if (!atomic_load_explicit(&is_counting, memory_order_relaxed) || !memory) return;
  atomic_fetch_add_explicit(&freed, (long)sallocx(memory, 0), memory_order_relaxed);
}

bool cac_is_available(void) { return true; }

void cac_set_counting(bool counting) {
  atomic_store_explicit(&is_counting, counting, memory_order_relaxed);
}

cac_counts cac_read(void) {
  return (cac_counts){
    atomic_load_explicit(&allocated, memory_order_relaxed),
    atomic_load_explicit(&freed, memory_order_relaxed),
    atomic_load_explicit(&peak, memory_order_relaxed),
  };
}

void cac_reset_peak(void) {
  cac_counts now = cac_read();
  atomic_store_explicit(&peak, now.allocated - now.freed, memory_order_relaxed);
}

static long read_statistic(const char *name) {
  size_t value = 0, size = sizeof value;
  return mallctl(name, &value, &size, NULL, 0) == 0 ? (long)value : -1;
}

long cac_read_live_bytes(void) {
  // Writing `epoch` updates jemalloc's statistics, which are snapshots.
  uint64_t epoch = 1;
  size_t size = sizeof epoch;
  if (mallctl("epoch", &epoch, &size, &epoch, size) != 0) return -1;
  // `stats.allocated` includes free memory in thread caches. Arena 4096 stands for all arenas.
  long allocated = read_statistic("stats.allocated");
  long cached = read_statistic("stats.arenas.4096.tcache_bytes");
  return allocated < 0 || cached < 0 ? -1 : allocated - cached;
}

static const uint64_t *thread_counter(const char *name) {
  uint64_t *counter = NULL;
  size_t size = sizeof counter;
  return mallctl(name, &counter, &size, NULL, 0) == 0 ? counter : NULL;
}

cac_thread_counters cac_counters_of_this_thread(void) {
  return (cac_thread_counters){
    thread_counter("thread.allocatedp"),
    thread_counter("thread.deallocatedp"),
  };
}

// jemalloc's functions, resolved once at load time. Until then, the functions above call jemalloc's
// extended API, which has other names and the same heap.
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);

__attribute__((constructor(101))) static void find_next(void) {
  next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}

void *malloc(size_t size) {
  void *memory = next_malloc ? next_malloc(size) : mallocx(size ? size : 1, 0);
  note_allocation(memory);
  return memory;
}

void *calloc(size_t count, size_t size) {
  void *memory;
  if (next_calloc) {
    memory = next_calloc(count, size);
  } else {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    memory = mallocx(bytes ? bytes : 1, MALLOCX_ZERO);
  }
  note_allocation(memory);
  return memory;
}

void free(void *memory) {
  if (!memory) return;
  note_freeing(memory);
  if (next_free) next_free(memory); else dallocx(memory, 0);
}

void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (size == 0) {
    free(memory);
    return NULL;
  }
  bool counts = atomic_load_explicit(&is_counting, memory_order_relaxed);
  long old = counts ? (long)sallocx(memory, 0) : 0;
  void *moved = next_realloc ? next_realloc(memory, size) : rallocx(memory, size, 0);
  if (moved && old) {
    note_allocation(moved);
    atomic_fetch_add_explicit(&freed, old, memory_order_relaxed);
  }
  return moved;
}

static void *aligned(size_t alignment, size_t size) {
  void *memory = mallocx(size ? size : 1, MALLOCX_ALIGN(alignment));
  note_allocation(memory);
  return memory;
}

void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size); }
void *memalign(size_t alignment, size_t size) { return aligned(alignment, size); }
void *valloc(size_t size) { return aligned(4096, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *memory = aligned(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

// The operators of C++, which jemalloc replaces too, by their mangled names. The plain forms never
// return a null pointer.
static void *allocated_or_aborted(size_t size) {
  void *memory = malloc(size);
  if (!memory) abort();
  return memory;
}
void *operator_new(size_t size) __asm__("_Znwm");
void *operator_new(size_t size) { return allocated_or_aborted(size); }
void *operator_new_array(size_t size) __asm__("_Znam");
void *operator_new_array(size_t size) { return allocated_or_aborted(size); }
void *operator_new_nothrow(size_t size, const void *tag) __asm__("_ZnwmRKSt9nothrow_t");
void *operator_new_nothrow(size_t size, const void *tag) { (void)tag; return malloc(size); }
void *operator_new_array_nothrow(size_t size, const void *tag) __asm__("_ZnamRKSt9nothrow_t");
void *operator_new_array_nothrow(size_t size, const void *tag) { (void)tag; return malloc(size); }
void operator_delete(void *memory) __asm__("_ZdlPv");
void operator_delete(void *memory) { free(memory); }
void operator_delete_array(void *memory) __asm__("_ZdaPv");
void operator_delete_array(void *memory) { free(memory); }
void operator_delete_sized(void *memory, size_t size) __asm__("_ZdlPvm");
void operator_delete_sized(void *memory, size_t size) { (void)size; free(memory); }
void operator_delete_array_sized(void *memory, size_t size) __asm__("_ZdaPvm");
void operator_delete_array_sized(void *memory, size_t size) { (void)size; free(memory); }

#endif
