// The search for the holder of an object and the count of all objects, in layers. A file calls
// functions of its own layer and of the layers before it in this list, never of a later one:
//
//   ImageMap.c   the descriptors in the images of the process (CRuntimeInspection.h)
//   Metadata.c   types by their mangled names, and the storage of a type's fields
//   Memory.c     the memory of this process or of another one, and its mappings
//   Blocks.c     the blocks of the C library's allocator (HeapLayers.h, as the next four)
//   Holders.c    the references between those blocks
//   Dominators.c the dominators of a graph
//   Retained.c   the bytes that those blocks retain, by type
//   Histogram.c  the objects in those blocks, counted by type
//   Graph.c      the nodes, the edges between them, the packed answer
//   Values.c     the references in a value
//   HeapWalk.c   the references in an object, a closure's context or a box
//   TaskWalk.c   the references in a task, and the running tasks
//   Search.c     the order of the visits: from the suspect, from the roots, from running tasks
//   Child.c      the process that searches or counts, and writes the answer
//   Parent.c     the requesting process: it forks, reads the answer and waits for the child
//   Stop.c       another process, stopped while its objects are counted
//
// The suspect is the object whose holder is to be found. The walk is a breadth-first search of the
// heap, from the suspect (for a path back to it) or from roots (for a path to it).
//
// 1. The walk copies heap memory only by a system call, which fails for an invalid pointer. So
//    memory that another thread was writing when the parent forked cannot crash the walk.
// 2. The walk reads type metadata in place, because metadata does not change. A word counts as an
//    object's address only if the object's first word is the address of a type's metadata; the walk
//    checks that for every node.
// 3. The walk does not follow weak and unowned references, and skips trivial values.
// 4. If the runtime cannot resolve the type of a value, every word of the value that equals an
//    object's address becomes an edge marked as probable.

#ifndef CRI_LAYERS_H
#define CRI_LAYERS_H

#include <CRuntimeInspection.h>
#include <sys/types.h>

#include "Layouts.h"

/// Whether a search works on this platform. On other platforms, and with the trait WeakBoxes, only
/// ImageMap.c, `cri_strong_count` and stubs in Parent.c and Stop.c remain.
#if defined(__linux__) && __SIZEOF_POINTER__ == 8 && !defined(WEAK_BOXES)
#define CRI_CAN_SEARCH 1
#else
#define CRI_CAN_SEARCH 0
#endif

// MARK: Metadata.c

/// Returns the generic arguments of a type, or the address at which they would begin.
const void *const *cri_generic_arguments(const struct cri_metadata *type);

/// Returns the offset, in words, of a class's own members in its metadata. The first of them are
/// the generic arguments.
size_t cri_immediate_words(const struct cri_descriptor *descriptor);

/// Returns whether a type belongs to the standard library or a module that comes with it: paths do
/// not name the fields of such a struct.
bool cri_is_of_the_library(const struct cri_descriptor *descriptor);

/// The kind of reference in one or more stored words.
enum cri_reference {
  /// Neither the type nor its size is known.
  CRI_UNKNOWN,
  /// Weak, unowned or none.
  CRI_NO_REFERENCE,
  CRI_OBJECT,
  /// An object's address and, in the spare bits of an address, other data.
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

/// Returns the storage of a field with this mangled type; `context` and `arguments` belong to the
/// type that declares the field.
struct cri_stored cri_stored(const char *name, const struct cri_descriptor *context,
                             const void *const *arguments);

// MARK: Memory.c

/// Returns the kind of a heap object with this metadata; 0 if it is no object.
enum cri_node_kind cri_kind_of(int process, uintptr_t metadata);

/// Opens "/proc/PROCESS/NAME"; returns the descriptor, or a negative number.
int cri_open_about(int process, const char *name);

struct cri_mapping {
  uintptr_t start, end;
  /// Whether it is private and writable.
  bool is_writable;
  bool is_executable, is_a_file, is_main_heap;
};

/// Visits the mappings of a process in the order of their addresses, until a visit returns false;
/// returns whether the system lists them.
bool cri_each_mapping(int process, bool (*visit)(const struct cri_mapping *mapping, void *context),
                      void *context);

/// Returns the size of the resident memory of a process; 0 if it is unknown.
uint64_t cri_resident_bytes(int process);

/// Returns the monotonic time in nanoseconds.
uint64_t cri_now(void);

/// Returns zeroed memory from the system; NULL if there is too little.
void *cri_pages(size_t size);

// MARK: Graph.c

struct cri_node {
  uintptr_t address;
  const struct cri_metadata *metadata;
  uint32_t parent;
  uint32_t label, label_length;
  uint16_t kind, edge_flags;
  /// Whether the path to the node leads through a task, and whether an edge of the path is
  /// probable.
  bool through_task, is_guess;
  /// The number of objects on the path to the node, including the node.
  uint8_t objects;
};

static const uint32_t cri_no_node = UINT32_MAX;

/// The rank of a path, the best one first. An object that certainly holds itself is leaked, whether
/// or not tasks hold it too.
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
  /// Whether the walk skipped a node outside of tasks because the visit of the node crashed.
  bool has_skipped;
  /// The maximum number of objects on a path.
  uint8_t most_objects;
  uintptr_t own_memory, own_memory_end;

  /// The first hit of each rank.
  struct cri_hit hits[CRI_RANK_COUNT];
  /// For each node that is a root, the index of the root in the request.
  uint32_t *root_numbers;
  /// The path to the best hit so far; NULL if there is none. A signal handler may send it.
  struct cri_answer *volatile complete;
  struct cri_answer *spare;
  const struct cri_hit *packed;
  /// The outcome unless the walk still finds a path; 0 while it is undecided. A signal handler may
  /// read it.
  volatile int known_outcome;

  // The current visit.
  char label[160];
  size_t label_length;
  unsigned depth;
  /// `CRI_EDGE_PAYLOAD` while the walk is in such a part of a value, otherwise 0.
  uint16_t payload;
  char *scratch;
  size_t scratch_used;

  uintptr_t task_metadata, slab_metadata;
  uintptr_t excluded_tasks[16];
  unsigned excluded_count;
};

/// Copies `size` bytes from an address that may be invalid; returns whether it read all of them.
bool cri_read(const struct cri_walk *walk, uintptr_t address, void *to, size_t size);

/// Returns the word at an address; 0 if the address is invalid.
uintptr_t cri_read_word(const struct cri_walk *walk, uintptr_t address);

/// Returns the size in bytes of an allocated block, at most `most`, or a guess if the allocator
/// cannot return the size.
size_t cri_block_size(uintptr_t address, size_t most);

/// Returns whether metadata found in the heap describes a value of plausible size.
bool cri_is_value_type(const struct cri_walk *walk, uintptr_t metadata);

/// Calls `visit`; returns false if it crashed.
bool cri_survives(struct cri_walk *walk, void (*visit)(struct cri_walk *, uint32_t), uint32_t node);

/// Makes the running call of `cri_survives` return false, and does not return itself. Returns if no
/// such call is running.
void cri_recover(void);

/// Allocates the memory of a walk; returns false if there is too little.
bool cri_prepare(struct cri_walk *walk, const struct cri_search *search);

/// Removes all nodes and hits, before a walk from other start nodes.
void cri_start(struct cri_walk *walk);

/// Adds the object at `address` to the start nodes of the walk; returns whether it is new.
bool cri_add_root(struct cri_walk *walk, uintptr_t address);

/// Returns the best hit; NULL if there is none.
const struct cri_hit *cri_best(const struct cri_walk *walk);

/// Records an edge with the current label from the node being visited to the object at `address`.
/// The edge also gets the walk's `payload`.
void cri_found(struct cri_walk *walk, uintptr_t address, uint16_t edge_flags);

/// Records that the walk skips a part of the node being visited because the part is too large.
void cri_leave_out(struct cri_walk *walk);

/// Appends two parts to the current label; returns the label's former length. To remove the parts,
/// the caller sets `label_length` to that length.
size_t cri_push_label(struct cri_walk *walk, const char *prefix, const char *name);

/// Returns bytes that are valid during the current visit; NULL if too few are left.
void *cri_scratch(struct cri_walk *walk, size_t size);

// MARK: Values.c

void cri_visit_stored(struct cri_walk *walk, const struct cri_stored *it,
                      const unsigned char *bytes, size_t available);
void cri_visit_value(struct cri_walk *walk, const struct cri_metadata *type,
                     const unsigned char *bytes, size_t available);

/// Visits the value at an address in the heap.
void cri_visit_heap_value(struct cri_walk *walk, const struct cri_metadata *type,
                          uintptr_t address);

/// Visits words of unknown type: each word that is an object's address is a probable edge.
void cri_scan_words(struct cri_walk *walk, const unsigned char *bytes, size_t size);

// MARK: HeapWalk.c

void cri_visit_object(struct cri_walk *walk, const struct cri_node *node);
void cri_visit_context(struct cri_walk *walk, const struct cri_node *node);

// MARK: TaskWalk.c

/// Excludes from the walk the task that requested the search and its parents, which wait for it; if
/// the layout of tasks is unknown, excludes all tasks.
void cri_exclude_current_task(struct cri_walk *walk);

void cri_visit_task(struct cri_walk *walk, uintptr_t task);

/// Adds all running tasks as roots, even those that no object refers to: it scans the memory of the
/// process for them.
void cri_add_running_tasks(struct cri_walk *walk);

// MARK: Search.c

/// Searches for the holder of the suspect of a prepared walk, until its deadline; sets `complete`
/// to the best path.
enum cri_outcome cri_search(struct cri_walk *walk);

// MARK: Child.c

struct cri_child {
  pid_t parent;
  /// The file to which the child writes its answer.
  int pipe;
  /// The time at which the child stops working, and answers with its result so far.
  uint64_t deadline;
};

/// The work of a child, and its answer.
struct cri_job {
  /// Runs in the child, answers and exits.
  void (*run)(const struct cri_job *job, const struct cri_child *it);
  const void *request;
  /// Reads the answer in the parent; returns whether it is complete. May set `failure` if not.
  bool (*receive)(int from, void *answer, uint64_t deadline, uint32_t *failure);
  void *answer;
  /// The duration of the fork, which the parent sets: threads that write to memory wait meanwhile.
  uint64_t fork_nanoseconds;
};

/// Searches in the child; the request is a `cri_search`.
void cri_search_in_child(const struct cri_job *job, const struct cri_child *it);

/// Counts in the child; the request is a bool, whether to search for paths.
void cri_count_in_child(const struct cri_job *job, const struct cri_child *it);

// MARK: Parent.c

/// A child process and a descriptor to signal it and to wait for it; `handle` is -1 without a
/// descriptor, and `number` is 0 without a child.
struct cri_process {
  pid_t number;
  int handle;
};

/// Opens the handle of a child. Call it immediately after the fork: if the program itself waits for
/// its children, the child's number may belong to another process later.
struct cri_process cri_know_child(pid_t process);

/// Kills the child and waits for its end, at most `patience` milliseconds. If the child takes
/// longer, a new thread waits for it. `ends_by_itself` is true for a child that has answered or
/// died: without a handle, it gets no signal, because its number may belong to another process by
/// now.
void cri_end_child(struct cri_process child, bool ends_by_itself, unsigned patience);

#endif
