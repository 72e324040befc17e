#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What `_swift_concurrency_debug_…` names, libswift_Concurrency exports for debuggers; absent where it is not linked.
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata __attribute__((weak));

static const uint32_t most_nodes = 1 << 20;
static const uint32_t table_mask = (2 << 20) - 1;
static const uint32_t label_bytes = 64 << 20;
static const size_t scratch_bytes = 16 << 20;

void *cri_pages(size_t size) {
  void *it = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  return it == MAP_FAILED ? NULL : it;
}

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

const struct cri_hit *cri_best(const struct cri_walk *walk) {
  for (int rank = 0; rank < CRI_RANK_COUNT; rank++) {
    if (walk->hits[rank].node != cri_no_node) return &walk->hits[rank];
  }
  return NULL;
}

/// Where the table has, or would have, the node at an address: 0 is no node, else one more than its index.
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

/// Packs the way to a hit at once: what goes wrong later, or takes too long, does not take it back.
static void keep_path(struct cri_walk *walk, const struct cri_hit *hit) {
  if (walk->packed == hit) return;
  walk->packed = hit;
  struct cri_answer *answer = walk->spare;
  cri_pack(walk, hit, answer);
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
  enum cri_node_kind kind = cri_kind_of(walk, metadata);
  if (kind == 0) return false;
  unsigned objects = (parent == cri_no_node ? 0 : walk->nodes[parent].objects) + (kind == CRI_NODE_OBJECT);
  if (objects > UINT8_MAX) objects = UINT8_MAX;
  if (objects > walk->most_objects) return false;
  for (unsigned i = 0; kind == CRI_NODE_TASK && i < walk->excluded_count; i++) {
    if (walk->excluded_tasks[i] == address) return false;
  }
  // What a function refers to is a closure; if that is not a context it is the closure's only capture.
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
  if (address == walk->suspect) {
    bool is_guess = edge_flags & CRI_EDGE_PROBABLE || walk->nodes[walk->next_node].is_guess;
    if (!walk->search->is_shared && is_guess) return;
    keep_hit(walk, edge_flags);
    return keep_path(walk, cri_best(walk));
  }
  add(walk, address, walk->next_node, edge_flags);
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
