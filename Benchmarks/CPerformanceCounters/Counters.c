#define _GNU_SOURCE
#include <CPerformanceCounters.h>

#if defined(__linux__) && __has_include(<linux/perf_event.h>)

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's names of the events, in the order of `cpc_event`.
static const uint64_t events[3] = {
    PERF_COUNT_HW_CPU_CYCLES,
    PERF_COUNT_HW_INSTRUCTIONS,
    PERF_COUNT_HW_CACHE_MISSES,
};

static int open_counter(uint64_t event) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  // By default, an unprivileged process may count only events outside the kernel and hypervisor.
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

cpc_counters cpc_open(void) {
  cpc_counters counters;
  for (int event = 0; event < 3; event++) counters.descriptors[event] = open_counter(events[event]);
  return counters;
}

void cpc_close(cpc_counters counters) {
  for (int event = 0; event < 3; event++) {
    if (counters.descriptors[event] >= 0) close(counters.descriptors[event]);
  }
}

double cpc_read(cpc_counters counters, cpc_event event) {
  struct {
    uint64_t value, enabled, running;
  } count;
  int descriptor = counters.descriptors[event];
  if (descriptor < 0 || read(descriptor, &count, sizeof count) != sizeof count) return -1;
  // The event never had a hardware counter, so its count is unknown.
  if (count.running == 0) return -1;
  return (double)count.value * ((double)count.enabled / (double)count.running);
}

#else

cpc_counters cpc_open(void) { return (cpc_counters){{-1, -1, -1}}; }
void cpc_close(cpc_counters counters) { (void)counters; }
double cpc_read(cpc_counters counters, cpc_event event) {
  (void)counters;
  (void)event;
  return -1;
}

#endif

bool cpc_counts(cpc_event event) {
  cpc_counters counters = cpc_open();
  volatile unsigned sum = 0;
  for (unsigned index = 0; index < 10000; index++) sum += index;
  double count = cpc_read(counters, event);
  cpc_close(counters);
  return event == CPC_CACHE_MISSES ? count >= 0 : count >= 10000;
}
