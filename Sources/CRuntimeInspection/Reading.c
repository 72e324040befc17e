#define _GNU_SOURCE
#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const size_t scratch_size = 16 << 20;

bool cri_read(const struct cri_walk *walk, uintptr_t address, void *to, size_t size) {
  struct iovec local = {.iov_base = to, .iov_len = size};
  struct iovec remote = {.iov_base = (void *)address, .iov_len = size};
  // Not by the function of that name: a sanitizer's checks of its arguments have no place here.
  // Each argument is a whole word: what is not would leave half of one unsaid.
  long got = syscall(SYS_process_vm_readv, (long)walk->process, &local, 1ul, &remote, 1ul, 0ul);
  return got == (long)size;
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

void *cri_scratch(struct cri_walk *walk, size_t size) {
  size_t rounded = (size + 63) & ~(size_t)63;
  if (rounded < size || rounded > scratch_size - walk->scratch_used) return NULL;
  void *bytes = walk->scratch + walk->scratch_used;
  walk->scratch_used += rounded;
  return bytes;
}

static bool is_class(const struct cri_walk *walk, uintptr_t metadata) {
  struct cri_class class_;
  if (!cri_read(walk, metadata, &class_, sizeof class_)) return false;
  uint32_t flags;
  return cri_read(walk, (uintptr_t)class_.descriptor, &flags, sizeof flags) &&
         (flags & 0x1f) == CRI_DESCRIPTOR_CLASS && class_.instance_size >= 16 &&
         class_.address_point == 0;
}

enum cri_node_kind cri_kind_of(const struct cri_walk *walk, uintptr_t metadata) {
  if (metadata == 0 || metadata % sizeof(void *) != 0) return 0;
  uintptr_t kind;
  if (!cri_read(walk, metadata, &kind, sizeof kind)) return 0;
  switch (kind) {
    case CRI_KIND_CLASS: return is_class(walk, metadata) ? CRI_NODE_OBJECT : 0;
    case CRI_KIND_CONTEXT: return CRI_NODE_CLOSURE;
    case CRI_KIND_BOX: return CRI_NODE_VARIABLE;
    case CRI_KIND_ERROR: return CRI_NODE_ERROR;
    case CRI_KIND_TASK: return metadata == walk->task_metadata ? CRI_NODE_TASK : 0;
    default: return 0;
  }
}

bool cri_is_value_type(const struct cri_walk *walk, uintptr_t metadata) {
  if (metadata == 0 || metadata % sizeof(void *) != 0) return false;
  uintptr_t words[2];
  if (!cri_read(walk, metadata - sizeof(void *), words, sizeof words)) return false;
  bool is_known = words[1] == CRI_KIND_CLASS || (words[1] >= 0x200 && words[1] < 0x400);
  struct cri_witnesses witnesses;
  // The last two witnesses are an enum's alone.
  size_t common = offsetof(struct cri_witnesses, tag);
  return is_known && cri_read(walk, words[0], &witnesses, common) && witnesses.size < 1 << 20;
}

#endif
