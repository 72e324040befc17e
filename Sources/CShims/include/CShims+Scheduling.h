// The hooks of a managed scheduler. Only the trait `Interleaving` uses them: `Primitives` then
// passes every step of the lock-free code to the scheduler that runs on the calling system thread,
// if any.

#ifndef CWEAKSHIMS_SCHEDULING_H
#define CWEAKSHIMS_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>

/// Memory orderings, with the numbers of C's `memory_order`.
enum {
  CWS_RELAXED = 0,
  CWS_ACQUIRING = 2,
  CWS_RELEASING = 3,
  CWS_ACQUIRING_AND_RELEASING = 4,
  CWS_SEQUENTIALLY_CONSISTENT = 5
};

/// The source location of a step: `#fileID`, `#function`, `#line`.
typedef struct {
  const char *file;
  const char *function;
  uint32_t line;
} cws_site;

/// The operations that a scheduler performs. Before each step, it may run other virtual threads.
typedef struct {
  /// Loads the word at `address` atomically.
  uint64_t (*load)(const uint64_t *address, uint32_t ordering, cws_site site);
  /// Stores `value` atomically.
  void (*store)(uint64_t *address, uint64_t value, uint32_t ordering, cws_site site);
  /// Stores `desired` if the word equals `expected`; returns the previous word.
  uint64_t (*compare_exchange)(
      uint64_t *address, uint64_t expected, uint64_t desired, uint32_t success, uint32_t failure,
      cws_site site);
  /// Begins an atomic read-modify-write and returns the word. `end_update` follows immediately.
  uint64_t (*begin_update)(uint64_t *address, uint32_t ordering, cws_site site);
  /// Ends an atomic read-modify-write: stores `value` with the ordering given to `begin_update`.
  void (*end_update)(uint64_t *address, uint64_t value);

  /// Allocates memory for a node. The scheduler checks accesses to it until `deallocate`.
  void *(*allocate)(intptr_t byte_count, intptr_t alignment, cws_site site);
  void (*deallocate)(void *node, cws_site site);
  /// Records a plain access to the variable at `address`, which is part of a node. Not a scheduling
  /// point.
  void (*access)(const void *address, bool is_write, cws_site site);

  /// Suspends the caller while the word equals `expected`. `wake_one` wakes one waiter, `wake_all`
  /// all of them.
  void (*wait)(const uint64_t *word, uint64_t expected, cws_site site);
  void (*wake_one)(const uint64_t *word, cws_site site);
  void (*wake_all)(const uint64_t *word, cws_site site);
  /// Executes a full barrier on every thread.
  void (*barrier)(cws_site site);
  /// Spins: the caller can continue only after a step of another thread.
  void (*spin)(cws_site site);
  /// Acquires the lock named by an address, shared or exclusive.
  void (*lock)(const void *lock, bool is_exclusive, cws_site site);
  void (*unlock)(const void *lock, bool is_exclusive, cws_site site);
  /// Acquires the lock exclusively if no thread holds it; returns whether it did.
  bool (*try_lock)(const void *lock, cws_site site);
  /// Executes a memory fence.
  void (*fence)(uint32_t ordering, cws_site site);
  /// Makes all stores to memory outside of nodes visible: some of that memory is about to be freed.
  void (*settle)(void);
  /// Takes a step whose effect the scheduler does not model, such as a promotion or a release.
  void (*step)(cws_site site);
  /// Records that the last reference to `object` is gone: every earlier use of it happened before.
  void (*last_release)(const void *object, cws_site site);

  /// Registers `handler(value)` to run when the virtual thread ends. A later call replaces `value`.
  void (*at_exit)(void (*handler)(void *), void *value);
  /// Returns the number of the virtual thread.
  uint64_t (*thread_number)(void);
} cws_scheduler;

/// The scheduler that runs virtual threads on the calling system thread; null if there is none.
extern _Thread_local const cws_scheduler *cws_current_scheduler;

static inline const cws_scheduler *cws_scheduler_get(void) { return cws_current_scheduler; }
static inline void cws_scheduler_set(const cws_scheduler *scheduler) {
  cws_current_scheduler = scheduler;
}

#endif
