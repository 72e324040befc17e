#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

// A longer path has its middle left out.
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

void cri_pack(const struct cri_walk *walk, const struct cri_hit *hit, struct cri_answer *answer) {
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

#endif
