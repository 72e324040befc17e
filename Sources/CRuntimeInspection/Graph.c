// The graph that a walk discovers, and the packed answer.
//
// The first part of this file recovers from crashes during a visit: the runtime and the allocator
// read memory in place, which may be invalid. The second part stores the nodes in the order of
// their discovery: the walk reached each node from its `parent`, and a hash table finds a node by
// its address. A hit is an edge to the suspect. The walk keeps the first hit of each rank, and
// packs the best path as soon as it is known, so that a signal handler can send it at any time.

#define _GNU_SOURCE
#include "Layers.h"

#if CRI_CAN_SEARCH

#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_feature(thread_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

// libswift_Concurrency exports these for debuggers; they are absent where it is not linked.
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata __attribute__((weak));

static const uint32_t most_nodes = 1 << 20;
static const uint32_t table_mask = (2 << 20) - 1;
static const uint32_t label_bytes = 64 << 20;
static const size_t scratch_bytes = 16 << 20;

/// The assumed size of a block if the allocator does not report it.
static const size_t unknown_size = 1024;

// MARK: Untrusted memory

/// Returns the kind of a heap object with this metadata; 0 if it is no object, or a task of unknown
/// layout.
static enum cri_node_kind kind_of(const struct cri_walk *walk, uintptr_t metadata) {
  enum cri_node_kind kind = cri_kind_of(walk->process, metadata);
  return kind == CRI_NODE_TASK && metadata != walk->task_metadata ? 0 : kind;
}

static sigjmp_buf beginning;
static volatile sig_atomic_t can_recover;

CRI_UNCHECKED bool cri_survives(struct cri_walk *walk, void (*visit)(struct cri_walk *, uint32_t),
                                uint32_t node) {
  // Does not save the signal mask, which the handlers do not change: saving it costs a system call
  // for each node.
  if (sigsetjmp(beginning, 0) != 0) return false;
  can_recover = 1;
  visit(walk, node);
  can_recover = 0;
  return true;
}

CRI_UNCHECKED void cri_recover(void) {
  if (!can_recover) return;
  can_recover = 0;
  siglongjmp(beginning, 1);
}

/// Returns whether the allocator can be asked for the size of a block. A sanitizer's allocator
/// stops the process if there is no such block.
static bool knows_sizes(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;
#else
  return true;
#endif
}

size_t cri_block_size(uintptr_t address, size_t most) {
  if (!knows_sizes()) return most < unknown_size ? most : unknown_size;
  size_t size = malloc_usable_size((void *)address);
  return size < most ? size : most;
}

/// Returns whether `address` is in a free block. Other allocators overwrite the first words of such
/// a block, so it does not look like an object. ThreadSanitizer's allocator does not: without this
/// check, an outdated word in a task's frame would lead to a deallocated object.
static bool is_freed(uintptr_t address) {
#if __has_feature(thread_sanitizer)
  const void *it = (const void *)address;
  return __sanitizer_get_ownership(it) && __sanitizer_get_allocated_begin(it) == NULL;
#else
  (void)address;
  return false;
#endif
}

// MARK: Nodes and edges

bool cri_prepare(struct cri_walk *walk, const struct cri_search *search) {
  walk->search = search;
  walk->suspect = (uintptr_t)search->suspect;
  walk->process = getpid();
  const size_t nodes = most_nodes * sizeof *walk->nodes;
  const size_t table = (table_mask + 1) * sizeof *walk->table;
  char *memory = cri_pages(nodes + table + label_bytes + scratch_bytes);
  if (memory == NULL) return false;
  walk->own_memory = (uintptr_t)memory;
  walk->own_memory_end = walk->own_memory + nodes + table + label_bytes + scratch_bytes;
  walk->nodes = (struct cri_node *)memory;
  walk->table = (uint32_t *)(memory + nodes);
  walk->labels = memory + nodes + table;
  walk->scratch = walk->labels + label_bytes;
  walk->most_objects = UINT8_MAX;
  walk->spare = cri_pages(2 * sizeof *walk->spare);
  if (walk->spare == NULL) return false;
  if (search->root_count > 0) {
    walk->root_numbers = cri_pages(search->root_count * sizeof *walk->root_numbers);
    if (walk->root_numbers == NULL) return false;
  }
  if (&_swift_concurrency_debug_asyncTaskMetadata != NULL) {
    walk->task_metadata = (uintptr_t)_swift_concurrency_debug_asyncTaskMetadata;
  }
  if (&_swift_concurrency_debug_asyncTaskSlabMetadata != NULL) {
    walk->slab_metadata = (uintptr_t)_swift_concurrency_debug_asyncTaskSlabMetadata;
  }
  return true;
}

void cri_start(struct cri_walk *walk) {
  if (walk->node_count > 0) {
    madvise(walk->table, (table_mask + 1) * sizeof *walk->table, MADV_DONTNEED);
  }
  walk->node_count = walk->next_node = 0;
  for (int rank = 0; rank < CRI_RANK_COUNT; rank++) walk->hits[rank].node = cri_no_node;
}

void *cri_scratch(struct cri_walk *walk, size_t size) {
  size_t rounded = (size + 63) & ~(size_t)63;
  if (rounded < size || rounded > scratch_bytes - walk->scratch_used) return NULL;
  void *bytes = walk->scratch + walk->scratch_used;
  walk->scratch_used += rounded;
  return bytes;
}

const struct cri_hit *cri_best(const struct cri_walk *walk) {
  for (int rank = 0; rank < CRI_RANK_COUNT; rank++) {
    if (walk->hits[rank].node != cri_no_node) return &walk->hits[rank];
  }
  return NULL;
}

/// Returns the entry of the hash table for an address. The entry is 0 if no node has the address,
/// else one more than the node's index.
static uint32_t *entry(struct cri_walk *walk, uintptr_t address) {
  uint32_t at = (uint32_t)((address >> 4) * 0x9e3779b97f4a7c15u >> 40);
  while (true) {
    uint32_t *it = &walk->table[at & table_mask];
    if (*it == 0 || walk->nodes[*it - 1].address == address) return it;
    at++;
  }
}

static uint32_t keep_label(struct cri_walk *walk) {
  if (walk->label_length > label_bytes - walk->label_count) {
    walk->is_full = true;
    return 0;
  }
  uint32_t at = walk->label_count;
  memcpy(walk->labels + at, walk->label, walk->label_length);
  walk->label_count += (uint32_t)walk->label_length;
  return at;
}

static void keep_hit(struct cri_walk *walk, uint16_t flags) {
  const struct cri_node *node = &walk->nodes[walk->next_node];
  bool is_guess = node->is_guess || flags & CRI_EDGE_PROBABLE;
  struct cri_hit *hit = &walk->hits[node->through_task ? CRI_RANK_TASK
                                    : is_guess         ? CRI_RANK_GUESS
                                                       : CRI_RANK_CERTAIN];
  if (hit->node != cri_no_node) return;
  *hit = (struct cri_hit){
      .node = walk->next_node,
      .label = keep_label(walk),
      .label_length = (uint32_t)walk->label_length,
      .edge_flags = flags,
  };
}

/// The maximum number of nodes on each side of the gap that replaces the middle of a long path.
static const uint32_t most_nodes_each_side = 50;

static void pack(struct cri_answer *answer, const struct cri_packed_node *node, const char *label) {
  size_t size = sizeof *node + node->label_length;
  if (answer->byte_count + size > sizeof answer->bytes) return;
  memcpy(answer->bytes + answer->byte_count, node, sizeof *node);
  memcpy(answer->bytes + answer->byte_count + sizeof *node, label, node->label_length);
  answer->byte_count += (uint32_t)size;
  answer->node_count++;
}

static void pack_node(const struct cri_walk *walk, const struct cri_node *node,
                      struct cri_answer *answer) {
  struct cri_packed_node packed = {
      .metadata = (uintptr_t)node->metadata,
      .kind = node->kind,
      .edge_flags = node->edge_flags,
      .label_length = node->label_length,
  };
  pack(answer, &packed, walk->labels + node->label);
}

static uint32_t ancestor(const struct cri_walk *walk, uint32_t node, uint32_t steps) {
  while (steps-- > 0) node = walk->nodes[node].parent;
  return node;
}

/// Writes the path that ends in `hit`.
static void pack_path(const struct cri_walk *walk, const struct cri_hit *hit,
                      struct cri_answer *answer) {
  uint32_t length = 0, first = hit->node;
  for (uint32_t node = hit->node; node != cri_no_node; node = walk->nodes[node].parent) {
    first = node;
    length++;
  }
  memset(answer, 0, offsetof(struct cri_answer, bytes));
  answer->outcome = CRI_OUTCOME_PATH;
  answer->origin = CRI_ORIGIN_ROOT;
  if (walk->nodes[hit->node].through_task) answer->origin = CRI_ORIGIN_TASK;
  else if (walk->nodes[first].address == walk->suspect) answer->origin = CRI_ORIGIN_CYCLE;
  else answer->root_index = walk->root_numbers[first];
  for (uint32_t i = 0; i < length; i++) {
    if (length > 2 * most_nodes_each_side && i == most_nodes_each_side) {
      struct cri_packed_node gap = {.kind = CRI_NODE_LEFT_OUT};
      pack(answer, &gap, "");
      i = length - most_nodes_each_side;
    }
    pack_node(walk, &walk->nodes[ancestor(walk, hit->node, length - 1 - i)], answer);
  }
  struct cri_packed_node suspect = {
      .metadata = cri_read_word(walk, walk->suspect),
      .kind = CRI_NODE_OBJECT,
      .edge_flags = hit->edge_flags,
      .label_length = hit->label_length,
  };
  pack(answer, &suspect, walk->labels + hit->label);
}

/// Packs the path to a hit immediately, so that a later crash or timeout does not lose it.
static void keep_path(struct cri_walk *walk, const struct cri_hit *hit) {
  if (walk->packed == hit) return;
  walk->packed = hit;
  struct cri_answer *answer = walk->spare;
  pack_path(walk, hit, answer);
  walk->spare = walk->complete != NULL ? walk->complete : answer + 1;
  walk->complete = answer;
}

static bool add(struct cri_walk *walk, uintptr_t address, uint32_t parent, uint16_t flags) {
  uint32_t *place = entry(walk, address);
  if (*place != 0) return false;
  if (walk->node_count == most_nodes) {
    walk->is_full = true;
    return false;
  }
  uintptr_t metadata = cri_read_word(walk, address);
  enum cri_node_kind kind = kind_of(walk, metadata);
  if (kind == 0 || is_freed(address)) return false;
  unsigned objects = parent == cri_no_node ? 0 : walk->nodes[parent].objects;
  if (kind == CRI_NODE_OBJECT) objects++;
  if (objects > UINT8_MAX) objects = UINT8_MAX;
  if (objects > walk->most_objects) return false;
  for (unsigned i = 0; kind == CRI_NODE_TASK && i < walk->excluded_count; i++) {
    if (walk->excluded_tasks[i] == address) return false;
  }
  // A function value refers to a closure's context, or to the only object that the closure
  // captures.
  if (flags & CRI_EDGE_SOLE_CAPTURE && kind == CRI_NODE_CLOSURE) flags &= ~CRI_EDGE_SOLE_CAPTURE;
  if (flags & CRI_EDGE_VARIABLE && kind == CRI_NODE_CLOSURE) kind = CRI_NODE_VARIABLE;
  walk->nodes[walk->node_count] = (struct cri_node){
      .address = address,
      .metadata = (const struct cri_metadata *)metadata,
      .parent = parent,
      .label = keep_label(walk),
      .label_length = (uint32_t)walk->label_length,
      .kind = (uint16_t)kind,
      .objects = (uint8_t)objects,
      .edge_flags = flags,
      .through_task =
          kind == CRI_NODE_TASK || (parent != cri_no_node && walk->nodes[parent].through_task),
      .is_guess =
          flags & CRI_EDGE_PROBABLE || (parent != cri_no_node && walk->nodes[parent].is_guess),
  };
  *place = ++walk->node_count;
  return true;
}

bool cri_add_root(struct cri_walk *walk, uintptr_t address) {
  walk->label_length = 0;
  return add(walk, address, cri_no_node, 0);
}

void cri_found(struct cri_walk *walk, uintptr_t address, uint16_t edge_flags) {
  if (address == 0 || address % sizeof(void *) != 0) return;
  edge_flags |= walk->payload;
  if (address == walk->suspect) {
    bool is_guess = edge_flags & CRI_EDGE_PROBABLE || walk->nodes[walk->next_node].is_guess;
    if (!walk->search->is_shared && is_guess) return;
    keep_hit(walk, edge_flags);
    return keep_path(walk, cri_best(walk));
  }
  add(walk, address, walk->next_node, edge_flags);
}

void cri_leave_out(struct cri_walk *walk) {
  const struct cri_node *node = &walk->nodes[walk->next_node];
  // A guess need not be searched completely, so its size does not matter.
  if (!node->is_guess && !node->through_task) walk->is_full = true;
}

size_t cri_push_label(struct cri_walk *walk, const char *prefix, const char *name) {
  size_t before = walk->label_length;
  for (const char *part = prefix; *part != 0 && walk->label_length < sizeof walk->label; part++) {
    walk->label[walk->label_length++] = *part;
  }
  for (const char *part = name; *part != 0 && walk->label_length < sizeof walk->label; part++) {
    walk->label[walk->label_length++] = *part;
  }
  return before;
}

#endif
