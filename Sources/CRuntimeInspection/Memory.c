// The memory of a process: this one, a forked child, or another process that is stopped.
//
// The fork or the stop may interrupt a thread at any instruction, so any word of the memory may be
// inconsistent. Therefore a walk reads memory by a system call, which returns an error for an
// invalid address.

#define _GNU_SOURCE
#include "Layers.h"

#if CRI_CAN_SEARCH

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

bool cri_read_process(int process, uintptr_t address, void *to, size_t size) {
  struct iovec local = {.iov_base = to, .iov_len = size};
  struct iovec remote = {.iov_base = (void *)address, .iov_len = size};
  // The system call itself, because a sanitizer would check the arguments of the C library's
  // function. Each argument is a whole word: a narrower one would leave half of a register
  // undefined.
  long got = syscall(SYS_process_vm_readv, (long)process, &local, 1ul, &remote, 1ul, 0ul);
  return got == (long)size;
}

bool cri_read(const struct cri_walk *walk, uintptr_t address, void *to, size_t size) {
  return cri_read_process(walk->process, address, to, size);
}

uintptr_t cri_read_word(const struct cri_walk *walk, uintptr_t address) {
  uintptr_t word = 0;
  return cri_read(walk, address, &word, sizeof word) ? word : 0;
}

uint64_t cri_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void *cri_pages(size_t size) {
  void *it = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  return it == MAP_FAILED ? NULL : it;
}

// MARK: Metadata

static bool is_class(int process, uintptr_t metadata) {
  struct cri_class class_;
  if (!cri_read_process(process, metadata, &class_, sizeof class_)) return false;
  uint32_t flags;
  return cri_read_process(process, (uintptr_t)class_.descriptor, &flags, sizeof flags) &&
         (flags & 0x1f) == CRI_DESCRIPTOR_CLASS && class_.instance_size >= 16 &&
         class_.address_point == 0;
}

enum cri_node_kind cri_kind_of(int process, uintptr_t metadata) {
  if (metadata == 0 || metadata % sizeof(void *) != 0) return 0;
  uintptr_t kind;
  if (!cri_read_process(process, metadata, &kind, sizeof kind)) return 0;
  switch (kind) {
    case CRI_KIND_CLASS: return is_class(process, metadata) ? CRI_NODE_OBJECT : 0;
    case CRI_KIND_CONTEXT: return CRI_NODE_CLOSURE;
    case CRI_KIND_BOX: return CRI_NODE_VARIABLE;
    case CRI_KIND_ERROR: return CRI_NODE_ERROR;
    case CRI_KIND_TASK: return CRI_NODE_TASK;
    default: return 0;
  }
}

bool cri_is_value_type(const struct cri_walk *walk, uintptr_t metadata) {
  if (metadata == 0 || metadata % sizeof(void *) != 0) return false;
  uintptr_t words[2];
  if (!cri_read(walk, metadata - sizeof(void *), words, sizeof words)) return false;
  bool is_known = words[1] == CRI_KIND_CLASS || (words[1] >= 0x200 && words[1] < 0x400);
  struct cri_witnesses witnesses;
  // Without the last two witnesses, which only an enum has.
  size_t common = offsetof(struct cri_witnesses, tag);
  return is_known && cri_read(walk, words[0], &witnesses, common) && witnesses.size < 1 << 20;
}

// MARK: Files of the system about a process

int cri_open_about(int process, const char *name) {
  // Does not call the C library's formatting, because a forked child may run this code.
  char digits[12], path[64] = "/proc/self/";
  if (process != getpid()) {
    size_t count = 0, length = strlen("/proc/");
    for (int rest = process; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    while (count > 0) path[length++] = digits[--count];
    path[length++] = '/';
    path[length] = 0;
  }
  strcat(path, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *hexadecimal(const char *text, uintptr_t *number) {
  for (*number = 0;; text++) {
    if (*text >= '0' && *text <= '9') *number = *number << 4 | (uintptr_t)(*text - '0');
    else if (*text >= 'a' && *text <= 'f') *number = *number << 4 | (uintptr_t)(*text - 'a' + 10);
    else return text;
  }
}

/// Parses a line of /proc/PID/maps, such as "7f00-7f10 rw-p 00000000 00:00 0 [heap]".
static struct cri_mapping mapping(const char *line) {
  struct cri_mapping it = {0};
  const char *rest = hexadecimal(line, &it.start);
  if (*rest == '-') rest = hexadecimal(rest + 1, &it.end);
  // Stacks are executable if any library asks for that, such as Swift's Runtime.
  it.is_writable = strncmp(rest, " rw", 3) == 0 && strlen(rest) > 4 && rest[4] == 'p';
  it.is_executable = strlen(rest) > 4 && rest[3] == 'x';
  // Only a file has a path; the heap and the stacks have names in brackets.
  it.is_a_file = strchr(line, '/') != NULL;
  it.is_main_heap = strstr(line, "[heap]") != NULL;
  return it;
}

bool cri_each_mapping(int process, bool (*visit)(const struct cri_mapping *mapping, void *context),
                      void *context) {
  int maps = cri_open_about(process, "maps");
  if (maps < 0) return false;
  char text[8192];
  size_t length = 0;
  ssize_t got;
  bool goes_on = true;
  while (goes_on && (got = read(maps, text + length, sizeof text - 1 - length)) > 0) {
    length += (size_t)got;
    text[length] = 0;
    char *line = text, *end;
    for (; goes_on && (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = 0;
      const struct cri_mapping it = mapping(line);
      goes_on = visit(&it, context);
    }
    length -= (size_t)(line - text);
    memmove(text, line, length);
  }
  close(maps);
  return true;
}

uint64_t cri_resident_bytes(int process) {
  int file = cri_open_about(process, "statm");
  if (file < 0) return 0;
  char text[128];
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = 0;
  // The second number counts the resident pages.
  const char *at = strchr(text, ' ');
  uint64_t pages = 0;
  for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++) pages = pages * 10 + (uint64_t)(*at - '0');
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

#endif
