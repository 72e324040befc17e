// The dominators of a graph: node A dominates node B if every path from the root to B leads through
// A. The immediate dominators form a tree.
//
// This is the simple algorithm of Lengauer and Tarjan, "A fast algorithm for finding dominators in
// a flowgraph", 1979, in O(m log n). It numbers the nodes in the order of a depth-first search. The
// semidominator of a node is the node with the least number from which a path leads to it whose
// inner nodes all have greater numbers than it. The search for the least semidominator on a path
// of the tree compresses the path.
//
// All arrays but the caller's are indexed by these numbers.

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <string.h>
#include <sys/mman.h>

static const uint32_t none = UINT32_MAX;

struct dominators {
  const struct cri_graph *graph;
  uint32_t reached;
  /// By the caller's index: the number of a node; `none` if the root does not reach it.
  uint32_t *numbers;
  uint32_t *nodes, *parents, *semi, *ancestors, *labels, *buckets, *next_in_bucket, *stack;
  uint32_t *dominators;
  /// The next edge of a node to follow; later the first of its predecessors.
  uint64_t *edges;
  uint32_t *predecessors;
  void *memory;
  size_t size;
};

static bool prepare(struct dominators *it) {
  size_t count = it->graph->count, edges = it->graph->first[count];
  it->size = (count + 1) * sizeof *it->edges + (10 * count + edges) * sizeof *it->numbers;
  it->memory = cri_pages(it->size);
  if (it->memory == NULL) return false;
  it->edges = it->memory;
  uint32_t *rest = (uint32_t *)(it->edges + count + 1);
  uint32_t **const lists[] = {
      &it->numbers,   &it->nodes,   &it->parents,        &it->semi,  &it->ancestors,
      &it->labels,    &it->buckets, &it->next_in_bucket, &it->stack, &it->dominators};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) *lists[i] = rest + i * count;
  it->predecessors = rest + 10 * count;
  memset(it->numbers, 0xff, count * sizeof *it->numbers);
  memset(it->ancestors, 0xff, count * sizeof *it->ancestors);
  memset(it->buckets, 0xff, count * sizeof *it->buckets);
  return true;
}

static void visit(struct dominators *it, uint32_t node, uint32_t parent) {
  uint32_t number = it->reached++;
  it->numbers[node] = number;
  it->nodes[number] = node;
  it->parents[number] = parent;
  it->semi[number] = it->labels[number] = number;
  it->edges[number] = it->graph->first[node];
}

/// Numbers the nodes that the root reaches. The parents lead back, so there is no stack.
static void number_nodes(struct dominators *it) {
  const struct cri_graph *graph = it->graph;
  visit(it, graph->root, none);
  for (uint32_t number = 0; number != none;) {
    if (it->edges[number] == graph->first[it->nodes[number] + 1]) {
      number = it->parents[number];
      continue;
    }
    uint32_t target = graph->targets[it->edges[number]++];
    if (it->numbers[target] != none) continue;
    visit(it, target, number);
    number = it->reached - 1;
  }
}

/// Lists the predecessors of each node: counts them, and then fills the lists from their ends.
static void list_predecessors(struct dominators *it) {
  const struct cri_graph *graph = it->graph;
  memset(it->edges, 0, (it->reached + 1) * sizeof *it->edges);
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t number = 0; number < it->reached; number++) {
      uint32_t node = it->nodes[number];
      for (uint64_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint32_t target = it->numbers[graph->targets[i]];
        if (pass == 0) it->edges[target]++;
        else it->predecessors[--it->edges[target]] = number;
      }
    }
    for (uint32_t i = 1; i <= it->reached && pass == 0; i++) it->edges[i] += it->edges[i - 1];
  }
}

/// Returns the node with the least semidominator on the path to `node` from the root of its tree in
/// the forest, without that root.
static uint32_t least(struct dominators *it, uint32_t node) {
  uint32_t *ancestors = it->ancestors, *labels = it->labels;
  if (ancestors[node] == none) return node;
  uint32_t depth = 0;
  for (uint32_t i = node; ancestors[ancestors[i]] != none; i = ancestors[i]) it->stack[depth++] = i;
  while (depth > 0) {
    uint32_t i = it->stack[--depth], above = ancestors[i];
    if (it->semi[labels[above]] < it->semi[labels[i]]) labels[i] = labels[above];
    ancestors[i] = ancestors[above];
  }
  return labels[node];
}

static void find_dominators(struct dominators *it) {
  for (uint32_t node = it->reached - 1; node > 0; node--) {
    for (uint64_t i = it->edges[node]; i < it->edges[node + 1]; i++) {
      uint32_t semi = it->semi[least(it, it->predecessors[i])];
      if (semi < it->semi[node]) it->semi[node] = semi;
    }
    it->next_in_bucket[node] = it->buckets[it->semi[node]];
    it->buckets[it->semi[node]] = node;
    uint32_t parent = it->parents[node];
    it->ancestors[node] = parent;
    for (uint32_t i = it->buckets[parent]; i != none; i = it->next_in_bucket[i]) {
      uint32_t other = least(it, i);
      it->dominators[i] = it->semi[other] < it->semi[i] ? other : parent;
    }
    it->buckets[parent] = none;
  }
  for (uint32_t i = 1; i < it->reached; i++) {
    if (it->dominators[i] != it->semi[i]) it->dominators[i] = it->dominators[it->dominators[i]];
  }
}

bool cri_find_dominators(const struct cri_graph *graph, uint32_t *dominators) {
  struct dominators it = {.graph = graph};
  if (!prepare(&it)) return false;
  number_nodes(&it);
  list_predecessors(&it);
  find_dominators(&it);
  for (uint32_t i = 0; i < graph->count; i++) {
    uint32_t number = it.numbers[i];
    bool has_dominator = number != none && i != graph->root;
    dominators[i] = has_dominator ? it.nodes[it.dominators[number]] : none;
  }
  munmap(it.memory, it.size);
  return true;
}

#endif
