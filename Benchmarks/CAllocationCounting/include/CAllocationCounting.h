// Counts the bytes of all allocations of the process, on all threads, while counting is on.

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  /// The bytes allocated while counting.
  long allocated;
  /// The bytes freed while counting.
  long freed;
  /// The maximum of the live bytes over all allocations since the last reset.
  long peak_live;
} cac_counts;

/// Returns whether this build has an allocator that can count.
bool cac_is_available(void);

/// Starts or stops counting; the counts so far are kept.
void cac_set_counting(bool counting);

/// Returns the counts so far.
cac_counts cac_read(void);

/// Resets the peak to the present live bytes.
void cac_reset_peak(void);

/// Returns the live bytes by the allocator's own statistics, without the free memory in thread
/// caches; -1 without such an allocator. Exact while no thread allocates.
long cac_read_live_bytes(void);

/// The allocator's counters of one thread, which wrap around.
typedef struct {
  const uint64_t *allocated;
  const uint64_t *freed;
} cac_thread_counters;

/// Returns the calling thread's counters, or null pointers without such an allocator. Only that
/// thread may read them, and only while it lives.
cac_thread_counters cac_counters_of_this_thread(void);
