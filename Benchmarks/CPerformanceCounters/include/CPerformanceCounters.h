// The processor's event counters for single threads, by Linux's perf_event_open.

#pragma once

#include <stdbool.h>

typedef enum { CPC_CYCLES, CPC_INSTRUCTIONS, CPC_CACHE_MISSES } cpc_event;

/// A descriptor for each event; -1 for what the host does not count.
typedef struct {
  int descriptors[3];
} cpc_counters;

/// Begins to count what the calling thread does outside the kernel.
cpc_counters cpc_open(void);

void cpc_close(cpc_counters counters);

/// How many events there were since `cpc_open`; -1 if the host does not count them. What was missed while
/// other counters had the processor's place is added in proportion.
double cpc_read(cpc_counters counters, cpc_event event);

/// Whether the event is counted here: work that cannot be without it is seen. A cache miss can, and is
/// counted where a counter of it runs.
bool cpc_counts(cpc_event event);
