// The processor's event counters for single threads, by Linux's perf_event_open.

#pragma once

#include <stdbool.h>

typedef enum { CPC_CYCLES, CPC_INSTRUCTIONS, CPC_CACHE_MISSES } cpc_event;

/// A file descriptor for each event; -1 if the host does not count it.
typedef struct {
  int descriptors[3];
} cpc_counters;

/// Starts counting events of the calling thread, outside the kernel.
cpc_counters cpc_open(void);

/// Stops counting.
void cpc_close(cpc_counters counters);

/// Returns the number of events since `cpc_open`, or -1 if the host does not count them. It is
/// scaled up for the time in which other events used the hardware counter.
double cpc_read(cpc_counters counters, cpc_event event);

/// Returns whether the host really counts the event. The function does work that must cause cycles
/// and instructions. Cache misses are not certain, so it only checks that their counter runs.
bool cpc_counts(cpc_event event);
