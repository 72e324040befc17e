// Faults in the processes of a search for what holds an object. The product has no code for them: a
// handler that the C library calls in each forked child, objects with broken descriptions, and
// calls of the search's own layers.

#ifndef CRETAINFAULTS_H
#define CRETAINFAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a child does wrong as soon as it is forked.
enum crf_fault {
  CRF_NONE = 0,
  /// It neither answers nor ends, and has set no alarm.
  CRF_HANG,
  /// It ends without an answer.
  CRF_EXIT,
  /// It crashes once it handles signals, outside of a visit.
  CRF_CRASH,
  /// Its time is over once it handles signals.
  CRF_ALARM,
};

/// Returns whether a forked child handles its alarm. Under ThreadSanitizer it does not: in a child
/// of a process with several threads, that defers asynchronous signals indefinitely.
bool crf_alarms_are_handled(void);

/// Returns whether blocks come from the C library's allocator: not under a sanitizer, and not
/// with jemalloc.
bool crf_uses_the_systems_allocator(void);

/// Makes the next `count` children that this thread forks misbehave.
void crf_arm(enum crf_fault fault, unsigned count);

/// Returns a Swift object, never deallocated, whose class has a description that cannot be read: to
/// visit it crashes.
const void *_Nonnull crf_broken_object(void);

/// Searches in this process for a cycle through `suspect`, for so many nanoseconds; returns the
/// outcome.
///
/// - Parameter is_late: Set to whether the search noticed that its time was over.
uint32_t crf_search(const void *_Nonnull suspect, uint64_t nanoseconds, bool *_Nonnull is_late);

/// Finds the immediate dominators of a graph, whose layout is that of `cri_graph`; returns false if
/// there is too little memory.
bool crf_find_dominators(uint32_t count, uint32_t root, const uint64_t *_Nonnull first,
                         const uint32_t *_Nonnull targets, uint32_t *_Nonnull dominators);

/// Returns the number of bytes that the allocator gave an object.
uint64_t crf_block_size(const void *_Nonnull object);

/// Forks a child that starts threads, whose stacks hold random words, and waits for its end by
/// `crf_end`. Returns -1 if not all threads could start.
int crf_fork_with_threads(unsigned count);

/// Fills the blocks of an allocator of its own, and `count` blocks of the system's, with random
/// words and with pointers to unmapped pages, to the middle of blocks and to each other. `pointers`
/// has addresses to use besides. Returns memory for `crf_free_hostile_heap`.
void *_Nullable crf_make_hostile_heap(uint64_t seed, unsigned count,
                                      const void *_Nonnull const *_Nonnull pointers,
                                      unsigned pointer_count);
void crf_free_hostile_heap(void *_Nonnull heap);

/// Forks a child that has such a heap from each `crf_fill_hostile_heap` to the next, and runs only
/// C. It ends when `seeds` is closed.
int crf_fork_with_hostile_heap(unsigned count, const void *_Nonnull const *_Nonnull pointers,
                               unsigned pointer_count, int *_Nonnull seeds);

/// Replaces the heap of that child by one of `seed`, and returns once it is complete.
bool crf_fill_hostile_heap(int seeds, uint64_t seed);

/// Makes memory that begins as an arena's heap of `size` bytes, but whose first chunk is invalid.
/// Returns its start, for `crf_unmap_arena`; NULL if there is no memory.
void *_Nullable crf_map_broken_arena(size_t size);
void crf_unmap_arena(void *_Nonnull arena);

/// Forks a child that does nothing until it is killed; returns its number.
int crf_fork_idle(void);

/// Kills a child of `crf_fork_idle` and waits for its end.
void crf_end(int child);

/// Forks a child whose only thread waits in `vfork`, where no signal and no tracer can stop it.
/// Returns its number once it waits there. It exits with status 7 when `release` is closed.
int crf_fork_in_vfork(int *_Nonnull release);

/// Waits for a child, which this process may trace; returns its exit status, or -1 if it does not
/// exit within `seconds`.
int crf_exit_status(int child, unsigned seconds);

/// Forks `count` children that never end by themselves, and ends each without waiting at all.
void crf_end_children(unsigned count);

#endif
