#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <CShims.h>
#include <stdio.h>
#include <string.h>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__linux__) || defined(__APPLE__)
#include <unistd.h>
#endif

long cws_online_cores(void) {
#if defined(_SC_NPROCESSORS_ONLN)
  return sysconf(_SC_NPROCESSORS_ONLN);
#else
  return -1;
#endif
}

long cws_affinity_cores(void) {
#if defined(__linux__)
  // Larger than any machine: the kernel refuses a set smaller than its own.
  enum { SETS = 64 };
  static cpu_set_t sets[SETS];
  if (sched_getaffinity(0, sizeof sets, sets) != 0) return -1;
  return CPU_COUNT_S(sizeof sets, sets);
#else
  return -1;
#endif
}

bool cws_read_line(const char *path, const char *prefix, char *line, long capacity) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool found = false;
  while (!found && fgets(line, (int)capacity, file)) {
    found = strncmp(line, prefix, strlen(prefix)) == 0;
  }
  fclose(file);
  if (found) line[strcspn(line, "\n")] = 0;
  return found;
}
