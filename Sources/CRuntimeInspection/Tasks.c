// A task's block and the slabs of its asynchronous frames have no description: each word in them that is an object's
// address is a probable edge. Of a slab only the part in use is looked at, so that little of what is over is found.

#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

// Of a task, as of version 1 of the layout that libswift_Concurrency exports for debuggers.
static const size_t job_flags = 32, task_status = 96, first_slab = 120, after_job = 64;
static const uint32_t is_child = 1 << 24;
static const uintptr_t is_complete = 0x2000;
static const size_t slab_header = 32;
static const size_t most_bytes = 64 << 10;
static const unsigned most_slabs = 256;

extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));
__attribute__((weak, swiftcall)) void *swift_task_getCurrent(void);

bool cri_is_running_task(const struct cri_walk *walk, uintptr_t task) {
  uintptr_t words[16];
  if (!cri_read(walk, task, words, sizeof words) || words[0] != walk->task_metadata) return false;
  // The kind of job that a task is has number 0.
  bool is_task = words[1] != 0 && (words[job_flags / 8] & 0xff) == 0 && words[after_job / 8] != 0;
  uintptr_t slab = words[first_slab / 8];
  bool is_whole = slab == 0 || cri_read_word(walk, slab) == walk->slab_metadata;
  return is_task && is_whole && !(words[task_status / 8] & is_complete);
}

void cri_exclude_current_task(struct cri_walk *walk) {
  bool is_known = &_swift_concurrency_debug_internal_layout_version != NULL &&
                  _swift_concurrency_debug_internal_layout_version == 1 &&
                  &_swift_concurrency_debug_asyncTaskSize != NULL;
  if (!is_known || swift_task_getCurrent == NULL) {
    walk->task_metadata = 0;
    return;
  }
  uintptr_t task = (uintptr_t)swift_task_getCurrent();
  while (task != 0 && walk->excluded_count < 16) {
    walk->excluded_tasks[walk->excluded_count++] = task;
    uintptr_t flags = cri_read_word(walk, task + job_flags);
    task = flags & is_child ? cri_read_word(walk, task + _swift_concurrency_debug_asyncTaskSize) : 0;
  }
}

static void scan(struct cri_walk *walk, const uintptr_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    // A task names others, its parent among them, without holding them.
    if (words[i] % 8 != 0 || cri_read_word(walk, words[i]) == walk->task_metadata) continue;
    cri_found(walk, words[i], CRI_EDGE_PROBABLE);
  }
}

/// Looks at the part of a slab in use; returns the next slab.
static uintptr_t visit_slab(struct cri_walk *walk, uintptr_t slab) {
  struct {
    uintptr_t metadata, next;
    uint32_t capacity, used;
  } header;
  if (!cri_read(walk, slab, &header, sizeof header) || header.metadata != walk->slab_metadata) {
    return 0;
  }
  size_t used = walk->scratch_used, size = header.used;
  if (header.used <= header.capacity && size <= most_bytes) {
    uintptr_t *words = cri_scratch(walk, size);
    if (words != NULL && cri_read(walk, slab + slab_header, words, size)) {
      scan(walk, words, size / sizeof *words);
    }
  }
  walk->scratch_used = used;
  return header.next;
}

void cri_visit_task(struct cri_walk *walk, uintptr_t task) {
  if (!cri_is_running_task(walk, task)) return;
  size_t size = cri_block_size(task, 1024), count = size / sizeof(uintptr_t);
  uintptr_t *words = cri_scratch(walk, size);
  if (words == NULL || !cri_read(walk, task, words, size)) return;
  cri_push_label(walk, "frame of a task", "");
  // The first slab may be in the task's block: what precedes it is the task's own.
  size_t own = after_job / sizeof *words, end = own;
  while (end < count && words[end] != walk->slab_metadata) end++;
  scan(walk, words + own, end - own);
  uintptr_t slab = words[first_slab / sizeof *words];
  for (unsigned i = 0; slab != 0 && i < most_slabs; i++) slab = visit_slab(walk, slab);
}

#endif
