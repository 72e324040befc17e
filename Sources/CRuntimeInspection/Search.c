// The order of a search: from the suspect, then from the roots, then from running tasks. A step
// starts only if the previous step found no path, not even a guess. Within a step, a certain path
// precedes a guess (`cri_rank`).

#include "Layers.h"

#if CRI_CAN_SEARCH

static const uint32_t nodes_per_clock_check = 64;
/// The number of further nodes to visit for a better hit, in addition to as many as before the hit.
static const uint32_t nodes_after_a_hit = 256;
/// The maximum number of objects on a path from a task: the tasks of a server reach most of the
/// heap.
static const uint8_t most_objects_from_a_task = 1;

static void visit(struct cri_walk *walk, uint32_t number) {
  const struct cri_node *node = &walk->nodes[number];
  switch (node->kind) {
    case CRI_NODE_OBJECT: return cri_visit_object(walk, node);
    case CRI_NODE_TASK: return cri_visit_task(walk, node->address);
    default: return cri_visit_context(walk, node);
  }
}

/// Visits the nodes in order until a hit is good enough, no node is left, or the time is over. A
/// visit adds more nodes.
static void run(struct cri_walk *walk) {
  while (walk->next_node < walk->node_count) {
    if (walk->next_node % nodes_per_clock_check == 0 && cri_now() > walk->deadline) {
      walk->is_late = true;
      return;
    }
    walk->label_length = walk->scratch_used = walk->depth = walk->payload = 0;
    if (!cri_survives(walk, visit, walk->next_node)) {
      walk->has_skipped |= !walk->nodes[walk->next_node].through_task;
    }
    walk->next_node++;
    const struct cri_hit *best = cri_best(walk);
    if (best == NULL) continue;
    // Searches on for a better hit, but not in the whole heap.
    bool is_certain = best == &walk->hits[CRI_RANK_CERTAIN];
    if (is_certain || walk->next_node > 2 * best->node + nodes_after_a_hit) return;
  }
}

static void search_from_roots(struct cri_walk *walk) {
  cri_start(walk);
  for (size_t i = 0; i < walk->search->root_count; i++) {
    uint32_t node = walk->node_count;
    uintptr_t root = (uintptr_t)walk->search->roots[i];
    if (root != walk->suspect && cri_add_root(walk, root)) walk->root_numbers[node] = (uint32_t)i;
  }
  run(walk);
}

static void search_from_tasks(struct cri_walk *walk) {
  cri_start(walk);
  walk->most_objects = most_objects_from_a_task;
  cri_add_running_tasks(walk);
  if (!walk->is_late) run(walk);
}

enum cri_outcome cri_search(struct cri_walk *walk) {
  const struct cri_search *search = walk->search;
  cri_exclude_current_task(walk);
  cri_start(walk);
  cri_add_root(walk, walk->suspect);
  run(walk);
  if (walk->complete == NULL && search->root_count > 0 && !walk->is_late) search_from_roots(walk);
  if (walk->is_late) return CRI_OUTCOME_TIMEOUT;
  if (walk->is_full) return CRI_OUTCOME_TOO_LARGE;
  // Paths from tasks are guesses: a crash or a timeout from here on does not change the outcome.
  walk->known_outcome = walk->has_skipped ? CRI_OUTCOME_CRASH : CRI_OUTCOME_NONE;
  if (walk->complete == NULL && search->finds_tasks && search->is_shared) search_from_tasks(walk);
  return (enum cri_outcome)walk->known_outcome;
}

#endif
