// A running task that nobody stored is held by nothing but itself: it is found by its metadata's address, which
// is looked for in all memory that is not a file's. The walk from there goes through closures and the variables
// they capture, but through one object only: a server's tasks reach everything.

#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const size_t chunk = 256 << 10;
// Of one mapping: a sanitizer's shadow is larger.
static const uintptr_t most_bytes = (uintptr_t)4 << 30;
static const uint8_t most_objects = 1;

struct mapping {
  uintptr_t start, end;
  bool is_writable, is_a_file;
};

static void scan_mapping(struct cri_walk *walk, const struct mapping *it) {
  if (!it->is_writable || it->is_a_file || it->end - it->start > most_bytes) return;
  uintptr_t *words = cri_scratch(walk, chunk);
  for (uintptr_t at = it->start; words != NULL && at < it->end; at += chunk) {
    size_t size = it->end - at < chunk ? it->end - at : chunk;
    bool is_own = at < walk->own_memory_end && at + size > walk->own_memory;
    if (cri_now() > walk->deadline) {
      walk->is_late = true;
      return;
    }
    if (is_own || !cri_read(walk, at, words, size)) continue;
    // Blocks of memory begin at every other word.
    for (size_t i = 0; i < size / sizeof *words; i += 2) {
      uintptr_t address = at + i * sizeof *words;
      if (words[i] == walk->task_metadata && cri_is_running_task(walk, address)) {
        cri_add_root(walk, address);
      }
    }
  }
}

static const char *hexadecimal(const char *text, uintptr_t *number) {
  for (*number = 0;; text++) {
    if (*text >= '0' && *text <= '9') *number = *number << 4 | (uintptr_t)(*text - '0');
    else if (*text >= 'a' && *text <= 'f') *number = *number << 4 | (uintptr_t)(*text - 'a' + 10);
    else return text;
  }
}

/// A line such as "7f00-7f10 rw-p 00000000 00:00 0 [heap]".
static struct mapping mapping(const char *line) {
  struct mapping it = {0};
  const char *rest = hexadecimal(line, &it.start);
  if (*rest == '-') rest = hexadecimal(rest + 1, &it.end);
  it.is_writable = strncmp(rest, " rw-p ", 6) == 0;
  // Only a file has a path; the heap and stacks have a name in brackets.
  it.is_a_file = strchr(line, '/') != NULL;
  return it;
}

void cri_scan_tasks(struct cri_walk *walk) {
  int maps = walk->task_metadata == 0 ? -1 : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  cri_start(walk);
  walk->most_objects = most_objects;
  walk->label_length = 0;
  char text[8192];
  size_t length = 0;
  ssize_t got;
  while ((got = read(maps, text + length, sizeof text - 1 - length)) > 0) {
    length += (size_t)got;
    text[length] = 0;
    char *line = text, *end;
    for (; (end = strchr(line, '\n')) != NULL && !walk->is_late; line = end + 1) {
      *end = 0;
      walk->scratch_used = 0;
      const struct mapping it = mapping(line);
      scan_mapping(walk, &it);
    }
    length -= (size_t)(line - text);
    memmove(text, line, length);
  }
  close(maps);
  if (!walk->is_late) cri_run(walk);
}

#endif
