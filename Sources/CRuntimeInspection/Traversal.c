#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

static const uint32_t nodes_per_look_at_the_clock = 64;
static const uint32_t nodes_after_a_hit = 256;

void cri_leave_out(struct cri_walk *walk) {
  const struct cri_node *node = &walk->nodes[walk->next_node];
  // What is guessed to be an object may have any size.
  if (!node->is_guess && !node->through_task) walk->is_full = true;
}

static void visit(struct cri_walk *walk, uint32_t number) {
  const struct cri_node *node = &walk->nodes[number];
  bool crashes = walk->search->fault == CRI_FAULT_CRASH_IN_VISIT && number == 1;
  if (crashes) *(volatile int *)(uintptr_t)8 = 0;
  switch (node->kind) {
    case CRI_NODE_OBJECT: return cri_visit_object(walk, node);
    case CRI_NODE_TASK: return cri_visit_task(walk, node->address);
    default: return cri_visit_context(walk, node);
  }
}

static bool is_over(const struct cri_walk *walk) {
  if (walk->search->fault == CRI_FAULT_LATE) return walk->next_node > 0;
  return cri_now() > walk->deadline;
}

void cri_run(struct cri_walk *walk) {
  while (walk->next_node < walk->node_count) {
    if (walk->next_node % nodes_per_look_at_the_clock == 0 && is_over(walk)) {
      walk->is_late = true;
      return;
    }
    walk->label_length = walk->scratch_used = walk->depth = 0;
    if (!cri_survives(walk, visit, walk->next_node)) {
      walk->has_skipped |= !walk->nodes[walk->next_node].through_task;
    }
    walk->next_node++;
    const struct cri_hit *best = cri_best(walk);
    if (best == NULL) continue;
    // A better hit is looked for, but not in the whole heap.
    bool is_certain = best == &walk->hits[CRI_RANK_CERTAIN];
    if (is_certain || walk->next_node > 2 * best->node + nodes_after_a_hit) return;
  }
}

#endif
