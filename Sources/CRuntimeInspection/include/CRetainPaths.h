// Who holds an object: a search of the heap that a forked child walks, so that no other thread changes it meanwhile.

#ifndef CRETAINPATHS_H
#define CRETAINPATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a node of a path is.
enum cri_node_kind {
  CRI_NODE_OBJECT = 1,
  CRI_NODE_CLOSURE = 2,
  CRI_NODE_VARIABLE = 3,
  CRI_NODE_ERROR = 4,
  CRI_NODE_TASK = 5,
  /// The middle of a long path.
  CRI_NODE_LEFT_OUT = 6,
};

/// What is to be known of an edge beside its label.
enum cri_edge_flag {
  /// Guessed: the words are an object's address, but nothing says that they hold it.
  CRI_EDGE_PROBABLE = 1,
  /// From a function value whose context is the one object that it captures.
  CRI_EDGE_SOLE_CAPTURE = 2,
  /// To the box of a variable that a closure captures.
  CRI_EDGE_VARIABLE = 4,
};

enum cri_origin { CRI_ORIGIN_CYCLE = 1, CRI_ORIGIN_ROOT = 2, CRI_ORIGIN_TASK = 3 };

/// How a search ended.
enum cri_outcome {
  CRI_OUTCOME_PATH = 1,
  CRI_OUTCOME_NONE = 2,
  CRI_OUTCOME_TIMEOUT = 3,
  CRI_OUTCOME_CRASH = 4,
  CRI_OUTCOME_TOO_LARGE = 5,
  CRI_OUTCOME_NO_CHILD = 6,
  CRI_OUTCOME_UNSUPPORTED = 7,
  /// The child was gone without a word, as one that the system ends for want of memory.
  CRI_OUTCOME_NO_ANSWER = 8,
  CRI_OUTCOME_NO_MEMORY = 9,
};

/// What the child does wrong on purpose, for tests.
enum cri_fault {
  CRI_FAULT_NONE = 0,
  CRI_FAULT_HANG = 1,
  CRI_FAULT_CRASH = 2,
  /// Only the first attempt.
  CRI_FAULT_HANG_AT_FIRST = 3,
  /// While the first object that the suspect refers to is visited.
  CRI_FAULT_CRASH_IN_VISIT = 4,
  /// Without an answer.
  CRI_FAULT_EXIT = 5,
  /// The clock says that its time is over, after some nodes.
  CRI_FAULT_LATE = 6,
  /// The child takes longer to end than anybody waits.
  CRI_FAULT_END_LATE = 7,
};

struct cri_search {
  const void *_Nonnull suspect;
  const void *_Nonnull const *_Nullable roots;
  size_t root_count;
  uint64_t timeout_nanoseconds;
  /// Whether there are references to the suspect beside the caller's: if not, nothing needs to be guessed.
  bool is_shared;
  /// Whether all memory is looked through for running tasks.
  bool finds_tasks;
  /// Whether the types of the objects' fields are resolved before there is a child.
  bool warms;
  enum cri_fault fault;
};

/// A path, packed: for each node `cri_packed_node`, then the bytes of the label of the edge that led to it.
struct cri_packed_node {
  uint64_t metadata;
  uint16_t kind;
  uint16_t edge_flags;
  uint32_t label_length;
};

struct cri_answer {
  uint32_t outcome;
  uint32_t origin;
  uint32_t root_index;
  uint32_t node_count;
  uint32_t byte_count;
  /// Whether the time was over before all was looked at.
  uint32_t is_late;
  unsigned char bytes[20000];
};

static inline const unsigned char *_Nonnull cri_bytes(const struct cri_answer *_Nonnull answer) {
  return answer->bytes;
}

/// Looks for what holds `search->suspect`, in a child that is ended when its time is over.
void cri_find_retain_path(const struct cri_search *_Nonnull search,
                          struct cri_answer *_Nonnull answer);

#endif
