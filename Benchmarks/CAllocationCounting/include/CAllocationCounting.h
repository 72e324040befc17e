// Counts the bytes of every allocation of the process, on every thread, while it is asked to.

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  long allocated;
  long freed;
  /// The most that were allocated and not freed, at any allocation since the last reset.
  long peak_live;
} cac_counts;

/// Whether this build has an allocator that can be counted.
bool cac_is_available(void);

/// Starts or stops counting. What is counted stays.
void cac_set_counting(bool counting);

cac_counts cac_read(void);

/// Makes the present live bytes the peak.
void cac_reset_peak(void);

/// What is allocated and not freed, by the allocator's own statistics, less what lies free in thread
/// caches; -1 without such an allocator. Exact while no thread allocates.
long cac_read_live_bytes(void);

/// Where the allocator counts what one thread has allocated and freed; they run freely, and wrap.
typedef struct {
  const uint64_t *allocated;
  const uint64_t *freed;
} cac_thread_counters;

/// The calling thread's, which it alone may read, and no longer than it lives; null pointers without
/// such an allocator.
cac_thread_counters cac_counters_of_this_thread(void);
