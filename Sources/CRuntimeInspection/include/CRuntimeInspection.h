// Data of the Swift runtime for which Swift has no interface: reference counts, the classes of a
// program, the holders of an object, and the live objects of a process. All functions rely on
// private parts of the runtime, so Swift code checks a `RuntimeCapability` first, except before
// `cri_strong_count`, `cri_take_heap_of` and `cri_read_process`.

#ifndef CRUNTIMEINSPECTION_H
#define CRUNTIMEINSPECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Layouts.h"

/// Returns the number of strong references to an object, the caller's included.
size_t cri_strong_count(const void *_Nonnull object);

// The classes that a program declares. The compiler writes a descriptor of each class into its
// image, private classes, local classes and actors included. The ABI fixes the layout of a
// descriptor; the runtime knows its address.

/// Finds the descriptors of all classes that `modules` declare, generic classes included.
///
/// `modules` contains the names one after the other, each with its terminating zero; an empty name
/// ends the list. Returns the number of classes and writes the first `capacity` of them; returns -1
/// if the runtime cannot enumerate the images.
ptrdiff_t cri_class_descriptors(const char *_Nonnull modules,
                                const void *_Nullable *_Nonnull descriptors, size_t capacity);

/// Returns the metadata of a class, and creates it if it does not exist yet; NULL for a generic
/// class.
const void *_Nullable cri_metadata_of_class(const void *_Nonnull descriptor);

/// Returns the descriptor of the class with this metadata; NULL for a class that Swift does not
/// describe.
const void *_Nullable cri_descriptor_of_class(const void *_Nonnull metadata);

/// Returns the descriptor of a class's superclass; NULL if it has none, or one that Swift does not
/// describe.
const void *_Nullable cri_superclass_descriptor(const void *_Nonnull descriptor);

/// Returns the context that contains a type or another context; NULL for a module.
const void *_Nullable cri_parent_context(const void *_Nonnull descriptor);

/// Returns the name of the module that contains a context; NULL if no module does.
const char *_Nullable cri_module_name(const void *_Nonnull descriptor);

/// Returns a context's own name; NULL for one without a name, such as a function or an extension.
const char *_Nullable cri_context_name(const void *_Nonnull descriptor);

// The holders of an object: the objects and tasks that keep it alive. A forked child searches the
// heap: it has a single thread, so nothing else changes its heap during the search.

/// The kind of a node of a path.
enum cri_node_kind {
  CRI_NODE_OBJECT = 1,
  CRI_NODE_CLOSURE = 2,
  CRI_NODE_VARIABLE = 3,
  CRI_NODE_ERROR = 4,
  CRI_NODE_TASK = 5,
  /// Replaces the omitted middle of a long path.
  CRI_NODE_LEFT_OUT = 6,
  /// A block of the allocator that contains no object.
  CRI_NODE_MEMORY = 7,
};

/// The properties of an edge.
enum cri_edge_flag {
  /// A guess: the word equals an object's address, but no type describes it as a reference.
  CRI_EDGE_PROBABLE = 1,
  /// From a function value to the only object that it captures, which is its context.
  CRI_EDGE_SOLE_CAPTURE = 2,
  /// To the box of a captured variable.
  CRI_EDGE_VARIABLE = 4,
  /// Stored in a part of a value that no `weak` can be written for: the payload of an enum, the
  /// element of a tuple, the value of an existential of any type, or a field of a library's struct.
  CRI_EDGE_PAYLOAD = 8,
};

enum cri_origin { CRI_ORIGIN_CYCLE = 1, CRI_ORIGIN_ROOT = 2, CRI_ORIGIN_TASK = 3 };

/// The outcome of a search.
enum cri_outcome {
  CRI_OUTCOME_PATH = 1,
  CRI_OUTCOME_NONE = 2,
  CRI_OUTCOME_TIMEOUT = 3,
  CRI_OUTCOME_CRASH = 4,
  CRI_OUTCOME_TOO_LARGE = 5,
  CRI_OUTCOME_NO_CHILD = 6,
  CRI_OUTCOME_UNSUPPORTED = 7,
  /// The child ended without an answer, for example because the system ran out of memory and killed
  /// it.
  CRI_OUTCOME_NO_ANSWER = 8,
  CRI_OUTCOME_NO_MEMORY = 9,
  /// The count of all objects is complete.
  CRI_OUTCOME_COUNTED = 10,
  /// The system does not allow reading that process.
  CRI_OUTCOME_NOT_ALLOWED = 11,
  CRI_OUTCOME_NO_PROCESS = 12,
};

/// A request to find the holder of `suspect`, an object that should have been deallocated.
struct cri_search {
  const void *_Nonnull suspect;
  const void *_Nonnull const *_Nullable roots;
  size_t root_count;
  uint64_t timeout_nanoseconds;
  /// Whether the suspect has references besides the caller's. If not, the search reports no guess.
  bool is_shared;
  /// Whether the search scans all memory for running tasks.
  bool finds_tasks;
};

/// A node of a packed path. A packed path has, for each node, this struct and then the bytes of the
/// label of the edge that leads to the node.
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
  /// Whether the time ran out before the search was complete.
  uint32_t is_late;
  unsigned char bytes[20000];
};

static inline const unsigned char *_Nonnull cri_bytes(const struct cri_answer *_Nonnull answer) {
  return answer->bytes;
}

/// Searches for the holder of `search->suspect` in a child process, and kills a child that exceeds
/// its time limit.
void cri_find_retain_path(const struct cri_search *_Nonnull search,
                          struct cri_answer *_Nonnull answer);

/// Returns whether the layout of tasks in this runtime is the known one. A search in another one
/// finds no task.
bool cri_knows_tasks(void);

// The live objects of a process by type, from the blocks of the C library's allocator.

/// The counts of all objects with the same metadata.
struct cri_heap_row {
  /// For the box of an error, the metadata of the error's type.
  uint64_t metadata;
  /// A `cri_node_kind`.
  uint64_t kind;
  uint64_t count, bytes;
  /// Objects whose `deinit` has begun: it is running, or unowned references keep the memory
  /// allocated.
  uint64_t dead_count, dead_bytes;
  /// The size of an instance without its tail elements.
  uint64_t instance_size;
  /// The range of `cri_heap_steps` that is the path to an example; the length is 0 if there is
  /// none.
  uint32_t path_start, path_length;
  /// A `cri_holder_origin`.
  uint32_t path_origin;
  /// The number of objects of this row that the search for examples has passed.
  uint32_t seen;
};

/// The start of a path to an example.
enum cri_holder_origin {
  CRI_HOLDER_GLOBAL = 0,
  CRI_HOLDER_TASK = 1,
  /// A stack, or memory of another allocator.
  CRI_HOLDER_OTHER = 2,
  /// Not an origin, but the number of the origins above.
  CRI_HOLDER_COUNT = 3,
  /// The example holds itself: the path is a cycle.
  CRI_HOLDER_ITSELF = 4,
};

/// A block on a path.
struct cri_heap_step {
  /// 0 for a block that contains no object.
  uint64_t metadata;
  uint32_t kind;
  /// The offset in this block of the reference to the next one, in bytes.
  uint32_t offset;
};

/// The number of origins of blocks: those of `cri_holder_origin`, and one for all blocks that no
/// origin reaches.
enum { CRI_HEAP_ORIGIN_COUNT = CRI_HOLDER_COUNT + 1 };

/// The blocks of one type below another group; the first groups are the origins.
struct cri_heap_group {
  /// The number and the bytes of its blocks, and the bytes that only these blocks keep allocated,
  /// including their own.
  uint64_t count, bytes, retained_bytes;
  /// The index of the group of the blocks that retain these, which is smaller; `UINT32_MAX` for an
  /// origin.
  uint32_t parent;
  /// One more than the index of the type's row; 0 for blocks without an object.
  uint32_t row;
};

struct cri_heap {
  uint32_t outcome, row_count, step_count;
  /// The number of groups; 0 if there was no search for what blocks retain, or if it failed.
  uint32_t group_count;
  /// Whether the search for examples is complete.
  uint32_t has_paths;
  int32_t process;
  /// The size of all memory of the allocator, including its headers.
  uint64_t held_bytes;
  /// The size of the free blocks, including those in the threads' caches.
  uint64_t free_bytes;
  /// The blocks in use that contain no object.
  uint64_t other_count, other_bytes;
  /// The size of the memory behind invalid chunks, where the walk cannot find the blocks.
  uint64_t unread_bytes;
  /// The size of the process's resident memory; 0 if unknown.
  uint64_t resident_bytes;
  /// The time for which another process was stopped or, in this process, the duration of the fork,
  /// during which threads that write to memory wait.
  uint64_t pause_nanoseconds;
};

/// The maximum numbers of types, of blocks on paths and of groups.
enum {
  cri_most_heap_rows = 1 << 16,
  cri_most_heap_steps = 1 << 20,
  cri_most_heap_groups = 1 << 18,
};

static inline const struct cri_heap_row *_Nonnull cri_heap_rows(
    const struct cri_heap *_Nonnull heap) {
  return (const struct cri_heap_row *)(heap + 1);
}

static inline const struct cri_heap_step *_Nonnull cri_heap_steps(
    const struct cri_heap *_Nonnull heap) {
  return (const struct cri_heap_step *)(cri_heap_rows(heap) + cri_most_heap_rows);
}

static inline const struct cri_heap_group *_Nonnull cri_heap_groups(
    const struct cri_heap *_Nonnull heap) {
  return (const struct cri_heap_group *)(cri_heap_steps(heap) + cri_most_heap_steps);
}

/// Counts the objects of this process in a forked child; NULL if there is too little memory. Free
/// the result with `cri_free_heap`.
///
/// If `finds_paths`, it also searches for one path to an object of each type, and for the bytes
/// that blocks retain.
struct cri_heap *_Nullable cri_take_heap(uint64_t timeout_nanoseconds, bool finds_paths);

/// Counts the objects of another process in the same way; the process is stopped meanwhile.
struct cri_heap *_Nullable cri_take_heap_of(int process, uint64_t timeout_nanoseconds,
                                            bool finds_paths);

void cri_free_heap(struct cri_heap *_Nonnull heap);

/// Copies `size` bytes of a process from an address that may be invalid; returns whether it read
/// all of them.
bool cri_read_process(int process, uintptr_t address, void *_Nonnull to, size_t size);

#endif
