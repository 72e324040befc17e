// A breadth-first search of the heap from the suspect (for a way back to it) or from roots (for a way to it).
//
// 1. Memory of the heap is only ever copied by the system, which fails where a pointer is wrong: what another
//    thread was in the middle of writing when this process was forked cannot crash the walk.
// 2. The types' descriptions are read in place: they do not change. A word counts as an object's address only if the
//    object begins with a type's address; that is checked for every node.
// 3. References that do not hold (weak, unowned) are not followed; trivial values are not looked into.
// 4. Where a type cannot be resolved each word that is an object's address is an edge marked probable.

#ifndef CRI_WALK_H
#define CRI_WALK_H

#include <CRetainPaths.h>

#include "Metadata.h"

struct cri_node {
  uintptr_t address;
  const struct cri_metadata *metadata;
  uint32_t parent;
  uint32_t label, label_length;
  uint16_t kind, edge_flags;
  /// Whether the way to it leads through a task, and whether an edge of it is probable.
  bool through_task, is_guess;
  uint8_t objects;
};

static const uint32_t cri_no_node = UINT32_MAX;

/// The better comes first: who holds itself for certain does so whatever the tasks that hold it too will do.
enum cri_rank { CRI_RANK_CERTAIN, CRI_RANK_TASK, CRI_RANK_GUESS, CRI_RANK_COUNT };

struct cri_hit {
  uint32_t node;
  uint32_t label, label_length;
  uint16_t edge_flags;
};

struct cri_walk {
  const struct cri_search *search;
  uintptr_t suspect;
  uint64_t deadline;
  int process;

  struct cri_node *nodes;
  uint32_t node_count, next_node;
  uint32_t *table;
  char *labels;
  uint32_t label_count;
  bool is_full, is_late;
  /// Whether something that is not guessed at was left out because visiting it crashed.
  bool has_skipped;
  /// How many objects there may be on a way.
  uint8_t most_objects;
  uintptr_t own_memory, own_memory_end;

  /// The first of each rank.
  struct cri_hit hits[CRI_RANK_COUNT];
  /// Which root a node is.
  uint32_t *root_numbers;
  /// The path to the best of the hits so far; NULL if there is none. A handler of signals may send it.
  struct cri_answer *volatile complete;
  struct cri_answer *spare;
  const struct cri_hit *packed;

  // Of the visit that is going on.
  char label[160];
  size_t label_length;
  unsigned depth;
  char *scratch;
  size_t scratch_used;

  uintptr_t task_metadata, slab_metadata;
  uintptr_t excluded_tasks[16];
  unsigned excluded_count;
};

/// Copies `size` bytes from an address that may be wrong.
bool cri_read(const struct cri_walk *walk, uintptr_t address, void *to, size_t size);

/// The word at an address that may be wrong, 0 then.
uintptr_t cri_read_word(const struct cri_walk *walk, uintptr_t address);

/// The time since the machine started, in nanoseconds.
uint64_t cri_now(void);

/// Bytes for the duration of a visit; NULL if there are too few left.
void *cri_scratch(struct cri_walk *walk, size_t size);

/// What a heap object with this metadata is, 0 if it is none.
enum cri_node_kind cri_kind_of(const struct cri_walk *walk, uintptr_t metadata);

/// Whether a metadata that was found in the heap describes a value of plausible size.
bool cri_is_value_type(const struct cri_walk *walk, uintptr_t metadata);

/// Zeroed memory of the child's own; NULL if there is none.
void *cri_pages(size_t size);

bool cri_prepare(struct cri_walk *walk, const struct cri_search *search);
void cri_start(struct cri_walk *walk);

/// The best hit; NULL if there is none.
const struct cri_hit *cri_best(const struct cri_walk *walk);
bool cri_add_root(struct cri_walk *walk, uintptr_t address);
void cri_run(struct cri_walk *walk);

/// Calls `visit`; false if it crashed.
bool cri_survives(struct cri_walk *walk, void (*visit)(struct cri_walk *, uint32_t), uint32_t node);
/// Goes back to where `cri_survives` was called; returns if it is not going on.
void cri_recover(void);

/// Says that what is being visited has a part that is too large to be looked at.
void cri_leave_out(struct cri_walk *walk);

/// Says that what is being visited refers to the object at `address`, by the walk's present label.
void cri_found(struct cri_walk *walk, uintptr_t address, uint16_t edge_flags);

/// The parts of labels: what is pushed is taken back by setting `label_length` to what this returned.
size_t cri_push_label(struct cri_walk *walk, const char *prefix, const char *name);

/// Has the runtime resolve the types of an object's fields before there is a child: what it remembers it need not
/// lock anything for, and in the child the thread that holds a lock is gone.
void cri_warm(const void *object);

void cri_visit_object(struct cri_walk *walk, const struct cri_node *node);
void cri_visit_context(struct cri_walk *walk, const struct cri_node *node);
void cri_visit_task(struct cri_walk *walk, uintptr_t task);

/// How a stored word, or several, refers to objects.
enum cri_reference {
  /// The type is not known, nor its size.
  CRI_UNKNOWN,
  /// Weak, unowned or none.
  CRI_NO_REFERENCE,
  CRI_OBJECT,
  /// An object under the spare bits of the platform.
  CRI_BRIDGED_OBJECT,
  CRI_VARIABLE,
  CRI_FUNCTION,
  CRI_VALUE,
};

struct cri_stored {
  enum cri_reference reference;
  const struct cri_metadata *type;  // of a value
  size_t size, alignment;
};

/// What a mangled type says; `arguments` are of the type whose field it is, and so is `context`.
struct cri_stored cri_stored(const char *name, const struct cri_descriptor *context,
                             const void *const *arguments);
void cri_visit_stored(struct cri_walk *walk, const struct cri_stored *it,
                      const unsigned char *bytes, size_t available);
void cri_visit_value(struct cri_walk *walk, const struct cri_metadata *type,
                     const unsigned char *bytes, size_t available);
void cri_visit_enum(struct cri_walk *walk, const struct cri_metadata *type,
                    const unsigned char *bytes, size_t available);
void cri_visit_existential(struct cri_walk *walk, const struct cri_metadata *type,
                           const unsigned char *bytes, size_t available);
void cri_visit_heap_value(struct cri_walk *walk, const struct cri_metadata *type,
                          uintptr_t address);
void cri_visit_function(struct cri_walk *walk, const unsigned char *bytes, size_t available);
/// Values one after the other, of which `bitmap` (NULL: all) says which there are.
void cri_visit_elements(struct cri_walk *walk, const struct cri_metadata *type, uintptr_t address,
                        size_t count, const uint64_t *bitmap);
/// The elements behind a storage object of the standard library; false if it is none.
bool cri_visit_storage(struct cri_walk *walk, const struct cri_node *node);
/// What is behind the fields of a managed buffer.
void cri_visit_tail(struct cri_walk *walk, const struct cri_node *node);
/// Words of which nothing is known: those that are an object's address are probable edges.
void cri_scan_words(struct cri_walk *walk, const unsigned char *bytes, size_t size);

/// The bytes of an allocated block, at most `most`: which it is where that cannot be known.
size_t cri_block_size(uintptr_t address, size_t most);

/// Leaves out the task that asks, and those that wait for it; tasks altogether where their layout is not known.
void cri_exclude_current_task(struct cri_walk *walk);
bool cri_is_running_task(const struct cri_walk *walk, uintptr_t task);

/// Tasks that nothing reachable refers to.
void cri_scan_tasks(struct cri_walk *walk);

/// Writes the path that ends in `hit`.
void cri_pack(const struct cri_walk *walk, const struct cri_hit *hit, struct cri_answer *answer);

#endif
