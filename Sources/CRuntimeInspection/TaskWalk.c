// The references in tasks, and the tasks themselves.
//
// No metadata describes a task's block or the slabs, which contain its asynchronous frames. So
// every word in them that equals an object's address is a probable edge. The walk scans only the
// part of a slab that is in use, which excludes most of the data that earlier frames left.
//
// A running task that no variable stores holds itself, and no other object refers to it. To find
// such tasks, the walk scans all memory that does not belong to a file for the address of the
// metadata of tasks.

#include "Layers.h"

#if CRI_CAN_SEARCH

// Offsets in a task, in version 1 of the layout. libswift_Concurrency exports the number of the
// version for debuggers.
static const size_t job_flags = 32, task_status = 96, first_slab = 120, after_job = 64;
static const uint32_t is_child = 1 << 24;
static const uintptr_t is_complete = 0x2000;
static const size_t slab_header = 32;
static const size_t most_slab_bytes = 64 << 10;
static const unsigned most_slabs = 256;

extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));
__attribute__((weak, swiftcall)) void *swift_task_getCurrent(void);

static bool is_running_task(const struct cri_walk *walk, uintptr_t task) {
  uintptr_t words[16];
  if (!cri_read(walk, task, words, sizeof words) || words[0] != walk->task_metadata) return false;
  // The kind of a job is 0 for a task.
  bool is_task = words[1] != 0 && (words[job_flags / 8] & 0xff) == 0 && words[after_job / 8] != 0;
  uintptr_t slab = words[first_slab / 8];
  bool is_whole = slab == 0 || cri_read_word(walk, slab) == walk->slab_metadata;
  return is_task && is_whole && !(words[task_status / 8] & is_complete);
}

bool cri_knows_tasks(void) {
  // Without the function, the process does not load the library of tasks, and has none.
  if (swift_task_getCurrent == NULL) return true;
  return &_swift_concurrency_debug_internal_layout_version != NULL &&
         _swift_concurrency_debug_internal_layout_version == 1 &&
         &_swift_concurrency_debug_asyncTaskSize != NULL;
}

void cri_exclude_current_task(struct cri_walk *walk) {
  if (!cri_knows_tasks() || swift_task_getCurrent == NULL) {
    walk->task_metadata = 0;
    return;
  }
  uintptr_t task = (uintptr_t)swift_task_getCurrent();
  while (task != 0 && walk->excluded_count < 16) {
    walk->excluded_tasks[walk->excluded_count++] = task;
    uintptr_t flags = cri_read_word(walk, task + job_flags);
    uintptr_t parent = task + _swift_concurrency_debug_asyncTaskSize;
    task = flags & is_child ? cri_read_word(walk, parent) : 0;
  }
}

static void scan(struct cri_walk *walk, const uintptr_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    // A task refers to other tasks, such as its parent, but does not hold them.
    if (words[i] % 8 != 0 || cri_read_word(walk, words[i]) == walk->task_metadata) continue;
    cri_found(walk, words[i], CRI_EDGE_PROBABLE);
  }
}

/// Scans the part of a slab that is in use; returns the next slab, or 0 if this is not a slab.
static uintptr_t visit_slab(struct cri_walk *walk, uintptr_t slab) {
  struct {
    uintptr_t metadata, next;
    uint32_t capacity, used;
  } header;
  if (!cri_read(walk, slab, &header, sizeof header) || header.metadata != walk->slab_metadata) {
    return 0;
  }
  size_t used = walk->scratch_used, size = header.used;
  if (header.used <= header.capacity && size <= most_slab_bytes) {
    uintptr_t *words = cri_scratch(walk, size);
    if (words != NULL && cri_read(walk, slab + slab_header, words, size)) {
      scan(walk, words, size / sizeof *words);
    }
  }
  walk->scratch_used = used;
  return header.next;
}

void cri_visit_task(struct cri_walk *walk, uintptr_t task) {
  if (!is_running_task(walk, task)) return;
  size_t size = cri_block_size(task, 1024), count = size / sizeof(uintptr_t);
  uintptr_t *words = cri_scratch(walk, size);
  if (words == NULL || !cri_read(walk, task, words, size)) return;
  cri_push_label(walk, "frame of a task", "");
  // The first slab may be in the task's own block: scan only what precedes it.
  size_t own = after_job / sizeof *words, end = own;
  while (end < count && words[end] != walk->slab_metadata) end++;
  scan(walk, words + own, end - own);
  uintptr_t slab = words[first_slab / sizeof *words];
  for (unsigned i = 0; slab != 0 && i < most_slabs; i++) slab = visit_slab(walk, slab);
}

// MARK: All running tasks

static const size_t chunk = 256 << 10;
/// The size of the largest mapping to scan; a sanitizer's shadow memory is larger.
static const uintptr_t most_mapped_bytes = (uintptr_t)4 << 30;

static void scan_mapping(struct cri_walk *walk, const struct cri_mapping *it) {
  if (!it->is_writable || it->is_a_file || it->end - it->start > most_mapped_bytes) return;
  uintptr_t *words = cri_scratch(walk, chunk);
  for (uintptr_t at = it->start; words != NULL && at < it->end; at += chunk) {
    size_t size = it->end - at < chunk ? it->end - at : chunk;
    bool is_own = at < walk->own_memory_end && at + size > walk->own_memory;
    if (cri_now() > walk->deadline) {
      walk->is_late = true;
      return;
    }
    if (is_own || !cri_read(walk, at, words, size)) continue;
    // The allocator aligns blocks to two words.
    for (size_t i = 0; i < size / sizeof *words; i += 2) {
      uintptr_t address = at + i * sizeof *words;
      if (words[i] == walk->task_metadata && is_running_task(walk, address)) {
        cri_add_root(walk, address);
      }
    }
  }
}

static bool scan_next_mapping(const struct cri_mapping *it, void *context) {
  struct cri_walk *walk = context;
  walk->scratch_used = 0;
  scan_mapping(walk, it);
  return !walk->is_late;
}

void cri_add_running_tasks(struct cri_walk *walk) {
  if (walk->task_metadata != 0) cri_each_mapping(walk->process, scan_next_mapping, walk);
}

#else

bool cri_knows_tasks(void) { return true; }

#endif
