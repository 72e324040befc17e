// The blocks that each block retains, merged by type.
//
// A block retains the blocks that only paths through it reach, that is, those that it dominates,
// and itself. The graph has the references that Holders.c collects, one more node for each origin,
// and a root before them.
//
// 1. A block belongs to the first origin that reaches it: global variables, then tasks, then stacks
//    and other memory, as for the paths. References to blocks of an earlier origin do not count.
//    Otherwise an outdated word on a stack would take from a global variable what it retains.
// 2. The last origin has the blocks that no other origin reaches. It refers to as few of them as
//    possible: a cycle has one entry, the lowest address.
// 3. A group has the blocks of one type whose dominators are in the same group. A block that
//    another block of its type retains belongs to that block's group, so that a list is one group,
//    and a path of groups has no type twice. Blocks without an object are in such a group only if
//    nothing is between them.
// 4. A group retains what would be deallocated if all its blocks were: its blocks' subtrees, each
//    one once.

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <string.h>
#include <sys/mman.h>

static const uint32_t none = UINT32_MAX;
static const uint32_t table_size = 4 * cri_most_heap_groups;

struct retained {
  const struct cri_holders *holders;
  struct cri_heap *heap;
  struct cri_heap_group *groups;
  struct cri_graph graph;
  /// The graph's arrays, to write to them.
  uint64_t *first;
  uint32_t *targets;
  /// For each block, one more than its origin; 0 before an origin reaches it.
  uint8_t *origins;
  uint32_t *queue, *starts, start_count;
  uint32_t *dominators, *children, *siblings, *order, *sizes, *group_of, *end_of_group, *table;
  uint64_t *bytes;
  void *memory;
  size_t size;
};

/// Allocates the memory; returns false if there is too little.
static bool prepare(struct retained *it) {
  size_t blocks = it->holders->node_count, count = blocks + CRI_HEAP_ORIGIN_COUNT + 1;
  // Each block may also be a start.
  size_t edges = it->holders->word_count + count;
  if (count >= none) return false;
  it->graph.count = (uint32_t)count;
  it->graph.root = (uint32_t)count - 1;
  size_t longs = 2 * count + 1, shorts = edges + 9 * count + cri_most_heap_groups + table_size;
  it->size = longs * sizeof(uint64_t) + shorts * sizeof(uint32_t) + count;
  it->memory = cri_pages(it->size);
  if (it->memory == NULL) return false;
  it->first = it->memory;
  it->bytes = it->first + count + 1;
  uint32_t *rest = (uint32_t *)(it->bytes + count);
  uint32_t **const lists[] = {
      &it->queue,    &it->starts, &it->dominators, &it->children, &it->siblings,
      &it->order,    &it->sizes,  &it->group_of};
  const size_t list_count = sizeof lists / sizeof *lists;
  for (size_t i = 0; i < list_count; i++) *lists[i] = rest + i * count;
  it->end_of_group = rest + list_count * count;
  it->table = it->end_of_group + cri_most_heap_groups;
  it->targets = it->table + table_size;
  it->origins = (uint8_t *)(it->targets + edges);
  it->graph.first = it->first;
  it->graph.targets = it->targets;
  return true;
}

// MARK: The graph

static void add_references(struct retained *it) {
  const struct cri_holders *holders = it->holders;
  uint64_t count = 0;
  for (uint32_t node = 0; node < holders->node_count; node++) {
    it->first[node] = count;
    if (holders->nodes[node].is_side_table) continue;
    uint64_t end = cri_end_of_words(holders, node);
    for (uint64_t i = holders->nodes[node].first_word; i < end; i++) {
      uint32_t target = cri_node_of(holders, (uintptr_t)(holders->words[i] >> 20) << 4);
      if (target != holders->node_count && target != node) it->targets[count++] = target;
    }
  }
  it->first[holders->node_count] = count;
}

/// Adds a block to the end of the queue, unless an origin has reached it already.
static void reach(struct retained *it, uint32_t node, uint8_t origin, uint32_t *end) {
  if (it->origins[node] != 0) return;
  it->origins[node] = origin;
  it->queue[(*end)++] = node;
}

static void follow(struct retained *it, uint32_t next, uint32_t end, uint8_t origin) {
  while (next < end) {
    uint32_t node = it->queue[next++];
    for (uint64_t i = it->first[node]; i < it->first[node + 1]; i++) {
      reach(it, it->targets[i], origin, &end);
    }
  }
}

static void start_from_roots(struct retained *it, unsigned origin) {
  const struct cri_holders *holders = it->holders;
  uint32_t end = 0;
  for (uint64_t i = 0; i < holders->root_counts[origin]; i++) {
    uint32_t node = cri_node_of(holders, holders->roots[origin][i]);
    if (node != holders->node_count) reach(it, node, (uint8_t)(origin + 1), &end);
  }
  memcpy(it->starts + it->start_count, it->queue, end * sizeof *it->queue);
  it->start_count += end;
  follow(it, 0, end, (uint8_t)(origin + 1));
}

/// Starts from blocks that no root reaches, as few as possible. A first pass takes each block that
/// the blocks before it do not reach. None of these reaches a later one, so a second pass backwards
/// drops those that a later one reaches.
static void start_from_the_rest(struct retained *it) {
  const uint8_t seen = CRI_HEAP_ORIGIN_COUNT + 1, origin = CRI_HEAP_ORIGIN_COUNT;
  uint32_t *candidates = it->order, count = 0;
  for (uint32_t node = 0; node < it->holders->node_count; node++) {
    uint32_t end = 0;
    reach(it, node, seen, &end);
    if (end > 0) candidates[count++] = node;
    follow(it, 0, end, seen);
  }
  for (uint32_t node = 0; node < it->holders->node_count; node++) {
    if (it->origins[node] == seen) it->origins[node] = 0;
  }
  while (count-- > 0) {
    uint32_t end = 0;
    reach(it, candidates[count], origin, &end);
    if (end > 0) it->starts[it->start_count++] = candidates[count];
    follow(it, 0, end, origin);
  }
}

/// Removes the references between blocks of different origins, and adds those of the origins and of
/// the root.
static void finish_graph(struct retained *it) {
  uint32_t blocks = it->holders->node_count;
  uint64_t count = 0, i = 0;
  for (uint32_t node = 0; node < blocks; node++) {
    uint64_t end = it->first[node + 1];
    it->first[node] = count;
    for (; i < end; i++) {
      uint32_t target = it->targets[i];
      if (it->origins[target] == it->origins[node]) it->targets[count++] = target;
    }
  }
  uint32_t start = 0;
  for (uint32_t origin = 0; origin < CRI_HEAP_ORIGIN_COUNT; origin++) {
    it->first[blocks + origin] = count;
    for (; start < it->start_count && it->origins[it->starts[start]] == origin + 1; start++) {
      it->targets[count++] = it->starts[start];
    }
  }
  it->first[it->graph.root] = count;
  for (uint32_t origin = 0; origin < CRI_HEAP_ORIGIN_COUNT; origin++) {
    it->targets[count++] = blocks + origin;
  }
  it->first[it->graph.count] = count;
}

// MARK: The tree

/// Lists the nodes so that each one comes before those that it dominates, which follow it without a
/// gap, and adds up the bytes of each subtree.
static void order_tree(struct retained *it) {
  uint32_t blocks = it->holders->node_count, end = 0, depth = 0;
  memset(it->children, 0xff, it->graph.count * sizeof *it->children);
  for (uint32_t node = it->graph.count; node-- > 0;) {
    it->sizes[node] = 1;
    it->bytes[node] = node < blocks ? (uint64_t)it->holders->nodes[node].size_in_words * 8 : 0;
    uint32_t dominator = it->dominators[node];
    if (dominator == none) continue;
    it->siblings[node] = it->children[dominator];
    it->children[dominator] = node;
  }
  it->queue[depth++] = it->graph.root;
  while (depth > 0) {
    uint32_t node = it->queue[--depth];
    it->order[end++] = node;
    for (uint32_t i = it->children[node]; i != none; i = it->siblings[i]) it->queue[depth++] = i;
  }
  while (end-- > 1) {
    uint32_t node = it->order[end], dominator = it->dominators[node];
    it->sizes[dominator] += it->sizes[node];
    it->bytes[dominator] += it->bytes[node];
  }
}

// MARK: Groups

static uint32_t add_group(struct retained *it, uint32_t parent, uint32_t row) {
  if (it->heap->group_count == cri_most_heap_groups) return none;
  it->groups[it->heap->group_count] = (struct cri_heap_group){.parent = parent, .row = row};
  return it->heap->group_count++;
}

/// Returns the group of a type in another group; `none` if there are too many groups.
static uint32_t group_in(struct retained *it, uint32_t parent, uint32_t row) {
  uint32_t at = (uint32_t)(((uint64_t)parent << 32 | row) * 0x9e3779b97f4a7c15u >> 40);
  while (true) {
    uint32_t *place = &it->table[at++ % table_size];
    if (*place == 0) {
      uint32_t group = add_group(it, parent, row);
      if (group != none) *place = group + 1;
      return group;
    }
    const struct cri_heap_group *group = &it->groups[*place - 1];
    if (group->parent == parent && group->row == row) return *place - 1;
  }
}

/// Returns the group of a block of a type whose dominator is in the group `parent`.
static uint32_t group_below(struct retained *it, uint32_t parent, uint32_t row) {
  for (uint32_t i = parent; i >= CRI_HEAP_ORIGIN_COUNT; i = it->groups[i].parent) {
    if (it->groups[i].row == row) return i;
    if (row == 0) break;
  }
  return group_in(it, parent, row);
}

/// Returns false if there are too many groups.
static bool group_blocks(struct retained *it) {
  uint32_t blocks = it->holders->node_count;
  for (unsigned i = 0; i < CRI_HEAP_ORIGIN_COUNT; i++) add_group(it, none, 0);
  for (uint32_t place = 1; place < it->graph.count; place++) {
    uint32_t node = it->order[place];
    bool is_block = node < blocks;
    uint32_t group = is_block ? group_below(it, it->group_of[it->dominators[node]],
                                            it->holders->nodes[node].row)
                              : node - blocks;
    if (group == none) return false;
    it->group_of[node] = group;
    struct cri_heap_group *sums = &it->groups[group];
    if (is_block) {
      sums->count++;
      sums->bytes += (uint64_t)it->holders->nodes[node].size_in_words * 8;
    }
    // The subtree of an earlier block of the group contains all that come before its end.
    if (place < it->end_of_group[group]) continue;
    it->end_of_group[group] = place + it->sizes[node];
    sums->retained_bytes += it->bytes[node];
  }
  return true;
}

void cri_find_retained(const struct cri_holders *holders, struct cri_heap *heap) {
  struct retained it = {.holders = holders, .heap = heap};
  it.groups = (struct cri_heap_group *)cri_heap_groups(heap);
  if (holders->is_full || !prepare(&it)) return;
  add_references(&it);
  for (unsigned origin = 0; origin < CRI_HOLDER_COUNT; origin++) start_from_roots(&it, origin);
  start_from_the_rest(&it);
  finish_graph(&it);
  if (cri_find_dominators(&it.graph, it.dominators)) {
    order_tree(&it);
    if (!group_blocks(&it)) heap->group_count = 0;
  }
  munmap(it.memory, it.size);
}

#endif
