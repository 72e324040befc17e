// The layers of a count of all objects: the allocator's blocks, the references between them, and
// the objects by type. Layers.h has the list of all layers.

#ifndef CRI_HEAP_LAYERS_H
#define CRI_HEAP_LAYERS_H

#include "Layers.h"

// MARK: Blocks.c

/// A block that the allocator has handed out, or keeps in a list of free blocks.
struct cri_block {
  uintptr_t address;
  /// The number of bytes that its owner may use.
  size_t size;
  /// The first two words of the block.
  uintptr_t words[2];
};

struct cri_blocks {
  int process;
  uint64_t deadline;
  /// Receives each block, in ascending order of addresses; returns whether the block contains an
  /// object.
  bool (*visit)(const struct cri_block *block, void *context);
  /// Receives each block in use that contains no object; may be NULL.
  void (*visit_other)(const struct cri_block *block, void *context);
  /// Receives the memory outside of the allocator, in pieces; may be NULL.
  void (*visit_outside)(const uintptr_t *words, size_t count, bool is_global, void *context);
  void *context;
  /// The visitor's own memory, which the walk skips.
  uintptr_t own_start, own_end;

  /// The totals so far; see `cri_heap`.
  uint64_t held_bytes, free_bytes, other_count, other_bytes, unread_bytes;
  bool is_late;

  /// The size of a page, in bytes; no more than that of the window.
  uintptr_t page;
  size_t memory_size;
  struct cri_mapping *mappings;
  size_t mapping_count;
  int page_map;
  uint64_t *pages;
  uintptr_t first_page;
  char *window;
  uintptr_t window_start, window_end, region_end;
};

/// Visits all blocks of a process; returns false if there is too little memory, the system does
/// not list the mappings, or the C library is not glibc.
bool cri_walk_blocks(struct cri_blocks *it);

/// Returns the mapping with this address; NULL if there is none.
const struct cri_mapping *cri_mapping_of(const struct cri_blocks *it, uintptr_t address);

/// Returns `size` bytes, at most 64 KiB, of the region that the walk is in; NULL if they cannot be
/// read. The bytes are valid until the next call.
const uintptr_t *cri_load(struct cri_blocks *it, uintptr_t address, size_t size);

// MARK: Holders.c

struct cri_holder_node {
  uintptr_t address;
  uint64_t first_word : 63, is_side_table : 1;
  /// One more than the index of the type's row; 0 for a block without an object.
  uint32_t row;
  uint32_t size_in_words;
  uint32_t parent, offset;
};

struct cri_holders {
  /// In ascending order of addresses.
  struct cri_holder_node *nodes;
  uint32_t node_count;
  /// 44 bits for the address of a block without its low zeros, and 20 for the index of the word
  /// that refers to it.
  uint64_t *words, word_count;
  /// For each origin, the addresses of blocks that it may refer to.
  uintptr_t *roots[CRI_HOLDER_COUNT];
  uint64_t root_counts[CRI_HOLDER_COUNT];
  /// The addresses of the side tables of objects with weak references.
  uintptr_t *side_tables;
  uint64_t side_table_count;
  /// The nodes that the search has reached, in the order in which it expands them, and those of
  /// unknown type that wait for a place in the queue.
  uint32_t *queue, *waiting;
  uint32_t next, queue_count, waiting_count;
  uintptr_t last_start, last_end;
  bool is_full;
  void *memory;
  size_t size;
};

/// Allocates the memory; returns false if there is too little.
bool cri_prepare_holders(struct cri_holders *it);

void cri_free_holders(struct cri_holders *it);

/// Adds a block and its references. The caller adds blocks in ascending order of addresses. `row`
/// is 0 for a block without an object, else one more than the index of the row of the object's
/// type. `skipped` has the offsets of words that are no references.
void cri_add_holder(struct cri_holders *it, struct cri_blocks *blocks,
                    const struct cri_block *block, uint32_t row, const uint32_t *skipped,
                    size_t skipped_count);

/// Adds the references in memory outside of the allocator.
void cri_add_holding_words(struct cri_holders *it, const struct cri_blocks *blocks,
                           const uintptr_t *words, size_t count, enum cri_holder_origin origin);

/// Finds the offsets of a class's weak and unowned fields, at most `most`; returns their number.
size_t cri_fields_that_hold_nothing(int process, uintptr_t metadata, uint32_t *offsets,
                                    size_t most);

/// Marks side tables and adds tasks to the origins, once all references are collected.
void cri_finish_holders(struct cri_holders *it, const struct cri_heap *heap);

/// Returns the node of the block at an address; `node_count` if there is none.
uint32_t cri_node_of(const struct cri_holders *it, uintptr_t address);

/// Returns the end of a node's words.
uint64_t cri_end_of_words(const struct cri_holders *it, uint32_t node);

/// Searches for a path to an object of each type.
void cri_find_examples(struct cri_holders *it, struct cri_heap *heap);

// MARK: Dominators.c

struct cri_graph {
  uint32_t count, root;
  /// The targets of the edges of node `i` are those from `first[i]` to `first[i + 1]`.
  const uint64_t *first;
  const uint32_t *targets;
};

/// Finds the immediate dominator of each node; `UINT32_MAX` for the root and for a node that the
/// root does not reach. Returns false if there is too little memory.
bool cri_find_dominators(const struct cri_graph *graph, uint32_t *dominators);

// MARK: Retained.c

/// Searches for the bytes that blocks retain; adds no group if that fails.
void cri_find_retained(const struct cri_holders *holders, struct cri_heap *heap);

// MARK: Histogram.c

/// Allocates an empty histogram; NULL if there is too little memory.
struct cri_heap *cri_new_heap(void);

/// Counts the objects of a process that does not run, until the deadline; sets every field of
/// `heap` except the resident size and the pause.
///
/// If `finds_paths`, it also searches for paths to examples and for what blocks retain. It calls
/// `lets_continue`, which may be NULL, as soon as the process may run again.
void cri_count_all(int process, uint64_t deadline, struct cri_heap *heap, bool finds_paths,
                   void (*lets_continue)(void *context), void *context);

#endif
