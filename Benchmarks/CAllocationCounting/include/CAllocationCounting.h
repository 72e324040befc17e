// Counts the bytes of every allocation of the process, on every thread, while it is asked to.

#pragma once

#include <stdbool.h>

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
