// The hooks of a managed scheduler, used under the trait `Interleaving` alone: there `Primitives` hands
// every step of the lock-free code to the scheduler that runs on this thread of the system, if any.

#ifndef CWEAKSHIMS_SCHEDULING_H
#define CWEAKSHIMS_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>

/// Memory orderings, numbered as C numbers them.
enum {
  CWS_RELAXED = 0,
  CWS_ACQUIRING = 2,
  CWS_RELEASING = 3,
  CWS_ACQUIRING_AND_RELEASING = 4,
  CWS_SEQUENTIALLY_CONSISTENT = 5
};

/// Where in the source a step is taken: `#fileID`, `#function`, `#line`.
typedef struct {
  const char *file;
  const char *function;
  uint32_t line;
} cws_site;

/// What a scheduler is told of and decides. Each step may run other virtual threads before it is taken.
typedef struct {
  /// An atomic load of the word at `address`.
  uint64_t (*load)(const uint64_t *address, uint32_t ordering, cws_site site);
  /// An atomic store.
  void (*store)(uint64_t *address, uint64_t value, uint32_t ordering, cws_site site);
  /// Stores `desired` if the word is `expected`; returns the word before.
  uint64_t (*compare_exchange)(
      uint64_t *address, uint64_t expected, uint64_t desired, uint32_t success, uint32_t failure,
      cws_site site);
  /// The first half of an atomic read-modify-write: returns the word. The second half follows at once.
  uint64_t (*begin_update)(uint64_t *address, uint32_t ordering, cws_site site);
  /// The second half: the word becomes `value`, with the ordering given in the first.
  void (*end_update)(uint64_t *address, uint64_t value);

  /// Memory of a node, whose accesses are checked from now on until it is given back.
  void *(*allocate)(intptr_t byte_count, intptr_t alignment, cws_site site);
  void (*deallocate)(void *node, cws_site site);
  /// A plain access to something in a node, which `address` begins. No scheduling point.
  void (*access)(const void *address, bool is_write, cws_site site);

  /// Sleeps while the word is `expected`; wakes one of those who sleep on it, or all.
  void (*wait)(const uint64_t *word, uint64_t expected, cws_site site);
  void (*wake_one)(const uint64_t *word, cws_site site);
  void (*wake_all)(const uint64_t *word, cws_site site);
  /// A full barrier on every thread, at this moment.
  void (*barrier)(cws_site site);
  /// The caller spins: another thread's step must come before it can go on.
  void (*spin)(cws_site site);
  /// A lock, named by an address: shared with other shared holders, or exclusive.
  void (*lock)(const void *lock, bool is_exclusive, cws_site site);
  void (*unlock)(const void *lock, bool is_exclusive, cws_site site);
  /// A step without an effect of its own that is known here: a promotion, a release.
  void (*step)(cws_site site);
  /// The last reference to an object is gone: whatever was done to it by anyone happened before.
  void (*last_release)(const void *object, cws_site site);

  /// Has `handler(value)` called when the virtual thread ends; a later call replaces the value.
  void (*at_exit)(void (*handler)(void *), void *value);
  uint64_t (*thread_number)(void);
} cws_scheduler;

/// The scheduler that runs virtual threads on the calling thread of the system; null without one.
extern _Thread_local const cws_scheduler *cws_current_scheduler;

static inline const cws_scheduler *cws_scheduler_get(void) { return cws_current_scheduler; }
static inline void cws_scheduler_set(const cws_scheduler *scheduler) {
  cws_current_scheduler = scheduler;
}

#endif
