// For each type, a path of references to one of its objects, the example.
//
// While the process does not run, the walk collects every word that may be the address of a block,
// in the blocks and in the memory outside of the allocator. Afterwards, a breadth-first search over
// these words starts from global variables, then from tasks, then from stacks and other memory.
// From each origin it finds the path with the fewest blocks of unknown type, whose words may be
// outdated, and of these a short one. An example that this search does not reach may hold itself: a
// second search, from the example, finds the cycle.
//
// Every word that equals a block's address counts as a reference. The walk skips weak and unowned
// fields, and the search does not follow side tables, which refer to objects with weak references.

#include <string.h>

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <sys/mman.h>

static const size_t most_nodes = 1 << 25, most_words = 1 << 28, most_roots = 1 << 24;
static const uint32_t most_steps_of_path = 64, most_nodes_of_cycle = 1 << 16;
/// The parent of a node to which an origin refers is `first_root` plus the origin. A smaller number
/// is one more than the index of the parent; 0 is no parent.
static const uint32_t first_root = UINT32_MAX - CRI_HOLDER_COUNT;
/// The bits of an object's address in which Swift may store other data.
static const uintptr_t spare_bits = 0xf000000000000007;

bool cri_prepare_holders(struct cri_holders *it) {
  size_t nodes = most_nodes * sizeof *it->nodes, words = most_words * sizeof *it->words;
  size_t roots = most_roots * sizeof *it->roots[0], queue = most_nodes * sizeof *it->queue;
  it->size = nodes + words + 2 * queue + (CRI_HOLDER_COUNT + 1) * roots;
  char *memory = cri_pages(it->size);
  if (memory == NULL) return false;
  it->memory = memory;
  it->nodes = (struct cri_holder_node *)memory;
  it->words = (uint64_t *)(memory + nodes);
  it->queue = (uint32_t *)(memory + nodes + words);
  it->waiting = (uint32_t *)(memory + nodes + words + queue);
  uintptr_t *lists = (uintptr_t *)(memory + nodes + words + 2 * queue);
  for (unsigned i = 0; i < CRI_HOLDER_COUNT; i++) it->roots[i] = lists + i * most_roots;
  it->side_tables = lists + CRI_HOLDER_COUNT * most_roots;
  return true;
}

void cri_free_holders(struct cri_holders *it) {
  if (it->memory != NULL) munmap(it->memory, it->size);
}

// MARK: Collecting

/// Returns the word without its spare bits if that may be the address of a block; otherwise 0.
static uintptr_t candidate(struct cri_holders *it, const struct cri_blocks *blocks,
                           uintptr_t word) {
  word &= ~spare_bits;
  if (word % 16 != 0 || word == 0) return 0;
  if (word < it->last_start || word >= it->last_end) {
    const struct cri_mapping *mapping = cri_mapping_of(blocks, word);
    if (mapping == NULL || !mapping->is_writable || mapping->is_a_file) return 0;
    it->last_start = mapping->start;
    it->last_end = mapping->end;
  }
  return word;
}

static void add_words(struct cri_holders *it, struct cri_blocks *blocks,
                      const struct cri_block *block, const uint32_t *skipped,
                      size_t skipped_count) {
  static const size_t piece = 16 << 10;
  for (size_t at = 0; at < block->size; at += piece) {
    size_t size = block->size - at < piece ? block->size - at : piece;
    const uintptr_t *words = cri_load(blocks, block->address + at, size & ~(sizeof *words - 1));
    if (words == NULL) return;
    for (size_t i = 0; i < size / sizeof *words; i++) {
      uintptr_t target = candidate(it, blocks, words[i]);
      uint32_t offset = (uint32_t)(at + i * sizeof *words);
      bool is_skipped = target == 0;
      for (size_t j = 0; j < skipped_count && !is_skipped; j++) is_skipped = skipped[j] == offset;
      if (is_skipped) continue;
      if (it->word_count == most_words) {
        it->is_full = true;
        return;
      }
      // A larger index is clamped.
      uint64_t place = offset / 8 < 0xfffff ? offset / 8 : 0xfffff;
      it->words[it->word_count++] = (uint64_t)(target >> 4) << 20 | place;
    }
  }
}

void cri_add_holder(struct cri_holders *it, struct cri_blocks *blocks,
                    const struct cri_block *block, uint32_t row, const uint32_t *skipped,
                    size_t skipped_count) {
  if (it->node_count == most_nodes) {
    it->is_full = true;
    return;
  }
  size_t words = block->size / sizeof(uintptr_t);
  it->nodes[it->node_count++] = (struct cri_holder_node){
      .address = block->address,
      .first_word = it->word_count,
      .row = row,
      .size_in_words = (uint32_t)(words < UINT32_MAX ? words : UINT32_MAX)};
  static const uintptr_t in_side_table = (uintptr_t)3 << 62;
  bool has_side_table = row != 0 && (block->words[1] & in_side_table) == in_side_table;
  if (has_side_table && it->side_table_count < most_roots) {
    it->side_tables[it->side_table_count++] = block->words[1] << 3;
  }
  add_words(it, blocks, block, skipped, skipped_count);
}

void cri_add_holding_words(struct cri_holders *it, const struct cri_blocks *blocks,
                           const uintptr_t *words, size_t count, enum cri_holder_origin origin) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t target = candidate(it, blocks, words[i]);
    if (target == 0) continue;
    if (it->root_counts[origin] == most_roots) {
      it->is_full = true;
      return;
    }
    it->roots[origin][it->root_counts[origin]++] = target;
  }
}

// MARK: Fields that hold nothing

/// Returns whether a mangled name is that of a weak, unowned or `unowned(unsafe)` reference.
static bool holds_nothing(int process, uintptr_t name) {
  char last[2] = {0, 0}, symbol;
  for (unsigned i = 0; i < 512; i++) {
    if (!cri_read_process(process, name, &symbol, 1)) return false;
    if (symbol == 0) break;
    last[0] = last[1];
    last[1] = symbol;
    // The address of a type follows a control byte: four bytes, or a whole word.
    name += symbol >= 0x01 && symbol <= 0x17   ? 5
            : symbol >= 0x18 && symbol <= 0x1f ? 1 + sizeof(void *)
                                               : 1;
  }
  return last[0] == 'X' && (last[1] == 'w' || last[1] == 'o' || last[1] == 'u');
}

static uintptr_t target_of(uintptr_t field, int32_t offset) {
  return offset == 0 ? 0 : field + (uintptr_t)(intptr_t)offset;
}

/// Adds the offsets of one class's own weak and unowned fields.
static size_t add_fields(int process, uintptr_t metadata, const struct cri_class *class_,
                         uint32_t *offsets, size_t count, size_t most) {
  struct cri_descriptor descriptor;
  uintptr_t place = (uintptr_t)class_->descriptor;
  if (!cri_read_process(process, place, &descriptor, sizeof descriptor)) return count;
  // A resilient superclass, of another module, determines where the vector of offsets begins.
  if (descriptor.flags & CRI_CLASS_HAS_RESILIENT_SUPERCLASS) return count;
  struct cri_fields fields;
  uintptr_t list = target_of(place + offsetof(struct cri_descriptor, fields), descriptor.fields);
  if (list == 0 || !cri_read_process(process, list, &fields, sizeof fields)) return count;
  for (uint32_t i = 0; i < fields.count && i < descriptor.class_.field_count; i++) {
    struct cri_field field;
    uintptr_t record = list + sizeof fields + i * sizeof field, offset;
    if (!cri_read_process(process, record, &field, sizeof field)) break;
    uintptr_t name = target_of(record + offsetof(struct cri_field, type), field.type);
    if (name == 0 || !holds_nothing(process, name)) continue;
    uintptr_t entry = metadata + (descriptor.class_.vector + i) * sizeof offset;
    bool is_known = cri_read_process(process, entry, &offset, sizeof offset);
    if (is_known && count < most) offsets[count++] = (uint32_t)offset;
  }
  return count;
}

size_t cri_fields_that_hold_nothing(int process, uintptr_t metadata, uint32_t *offsets,
                                    size_t most) {
  static const unsigned most_superclasses = 64;
  size_t count = 0;
  for (unsigned level = 0; level < most_superclasses && metadata != 0; level++) {
    struct cri_class class_;
    if (!cri_read_process(process, metadata, &class_, sizeof class_)) break;
    if (class_.kind != CRI_KIND_CLASS) break;
    count = add_fields(process, metadata, &class_, offsets, count, most);
    metadata = (uintptr_t)class_.superclass;
  }
  return count;
}

// MARK: Searching

uint32_t cri_node_of(const struct cri_holders *it, uintptr_t address) {
  uint32_t low = 0, high = it->node_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (it->nodes[middle].address < address) low = middle + 1;
    else high = middle;
  }
  bool is_found = low < it->node_count && it->nodes[low].address == address;
  return is_found ? low : it->node_count;
}

uint64_t cri_end_of_words(const struct cri_holders *it, uint32_t node) {
  return node + 1 < it->node_count ? it->nodes[node + 1].first_word : it->word_count;
}

/// Makes the queue empty.
static void start_search(struct cri_holders *it) {
  it->next = it->queue_count = it->waiting_count = 0;
}

/// Gives a node its parent and adds it to the queue, unless it has a parent already.
///
/// A node of unknown type waits until all nodes that are reached without it have been expanded.
static void reach(struct cri_holders *it, uint32_t node, uint32_t parent, uint32_t offset) {
  if (node == it->node_count || it->nodes[node].parent != 0) return;
  it->nodes[node].parent = parent;
  it->nodes[node].offset = offset;
  if (it->nodes[node].row != 0) it->queue[it->queue_count++] = node;
  else it->waiting[it->waiting_count++] = node;
}

/// Adds the waiting nodes to the end of the queue.
static void end_wait(struct cri_holders *it) {
  memcpy(it->queue + it->queue_count, it->waiting, it->waiting_count * sizeof *it->queue);
  it->queue_count += it->waiting_count;
  it->waiting_count = 0;
}

/// Takes the next node from the queue; returns whether there is one.
static bool take_next(struct cri_holders *it, uint32_t *node) {
  if (it->next == it->queue_count) end_wait(it);
  if (it->next == it->queue_count) return false;
  *node = it->queue[it->next++];
  return true;
}

/// Reaches the nodes to which a node refers, until it finds `goal`; returns whether it does.
static bool expand(struct cri_holders *it, uint32_t node, uint32_t goal, uint32_t *goal_offset) {
  const struct cri_holder_node *holder = &it->nodes[node];
  if (holder->is_side_table) return false;
  uint64_t last = cri_end_of_words(it, node);
  for (uint64_t i = holder->first_word; i < last; i++) {
    uint32_t offset = (uint32_t)(it->words[i] & 0xfffff) * 8;
    uint32_t target = cri_node_of(it, (uintptr_t)(it->words[i] >> 20) << 4);
    if (target == goal && target != it->node_count) return *goal_offset = offset, true;
    reach(it, target, node + 1, offset);
  }
  return false;
}

static void search_from(struct cri_holders *it, enum cri_holder_origin origin) {
  uint32_t node, unused;
  start_search(it);
  for (uint64_t i = 0; i < it->root_counts[origin]; i++) {
    reach(it, cri_node_of(it, it->roots[origin][i]), first_root + origin, 0);
  }
  while (take_next(it, &node)) expand(it, node, it->node_count, &unused);
}

// MARK: Examples

static void write_step(struct cri_heap *heap, uint64_t metadata, uint32_t kind,
                       uint32_t offset) {
  struct cri_heap_step *steps = (struct cri_heap_step *)cri_heap_steps(heap);
  steps[heap->step_count++] =
      (struct cri_heap_step){.metadata = metadata, .kind = kind, .offset = offset};
}

/// Writes the path to an example. It begins with the node to which an origin refers or, in a cycle,
/// with the example itself.
static void write_path(const struct cri_holders *it, struct cri_heap *heap,
                       struct cri_heap_row *row, uint32_t example) {
  uint32_t path[64], length = 0, node = example, parent;
  bool is_cut = false;
  // From the example to its parents.
  while (true) {
    if (length < most_steps_of_path) path[length++] = node;
    else is_cut = true;
    parent = it->nodes[node].parent;
    if (parent >= first_root || parent == 0 || (node == example && length > 1)) break;
    node = parent - 1;
  }
  if (heap->step_count + length + 1 > cri_most_heap_steps) return;
  row->path_origin = parent >= first_root ? parent - first_root : CRI_HOLDER_ITSELF;
  row->path_start = heap->step_count;
  if (is_cut) write_step(heap, 0, CRI_NODE_LEFT_OUT, 0);
  for (uint32_t i = length; i-- > 0;) {
    const struct cri_holder_node *block = &it->nodes[path[i]];
    const struct cri_heap_row *type = block->row != 0 ? &cri_heap_rows(heap)[block->row - 1] : NULL;
    uint32_t offset = i > 0 ? it->nodes[path[i - 1]].offset : 0;
    write_step(heap, type ? type->metadata : 0, type ? (uint32_t)type->kind : 0, offset);
  }
  row->path_length = heap->step_count - row->path_start;
}

/// Searches for a cycle through an example that no origin reaches, and writes it if there is one.
static void write_cycle(struct cri_holders *it, struct cri_heap *heap, struct cri_heap_row *row,
                        uint32_t example) {
  uint32_t node, offset;
  start_search(it);
  it->queue[it->queue_count++] = example;
  bool is_found = false;
  while (!is_found && it->queue_count + it->waiting_count < most_nodes_of_cycle &&
         take_next(it, &node)) {
    is_found = expand(it, node, example, &offset);
    if (!is_found) continue;
    it->nodes[example].parent = node + 1;
    it->nodes[example].offset = offset;
    write_path(it, heap, row, example);
  }
  end_wait(it);
  for (uint32_t i = 0; i < it->queue_count; i++) it->nodes[it->queue[i]].parent = 0;
}

static void find_example(struct cri_holders *it, struct cri_heap *heap, struct cri_heap_row *row,
                         uint32_t example) {
  if (it->nodes[example].parent != 0) write_path(it, heap, row, example);
  else write_cycle(it, heap, row, example);
}

void cri_finish_holders(struct cri_holders *it, const struct cri_heap *heap) {
  for (uint64_t i = 0; i < it->side_table_count; i++) {
    uint32_t node = cri_node_of(it, it->side_tables[i]);
    if (node < it->node_count) it->nodes[node].is_side_table = true;
  }
  const struct cri_heap_row *rows = cri_heap_rows(heap);
  for (uint32_t i = 0; i < it->node_count; i++) {
    uint32_t row = it->nodes[i].row;
    bool is_task = row != 0 && rows[row - 1].kind == CRI_NODE_TASK;
    if (!is_task || it->root_counts[CRI_HOLDER_TASK] == most_roots) continue;
    it->roots[CRI_HOLDER_TASK][it->root_counts[CRI_HOLDER_TASK]++] = it->nodes[i].address;
  }
}

void cri_find_examples(struct cri_holders *it, struct cri_heap *heap) {
  if (it->is_full) return;
  struct cri_heap_row *rows = (struct cri_heap_row *)cri_heap_rows(heap);
  for (unsigned origin = 0; origin < CRI_HOLDER_COUNT; origin++) {
    search_from(it, (enum cri_holder_origin)origin);
  }
  // The middle instance of each type: the first one often existed before the growth that the
  // example should explain.
  for (uint32_t i = 0; i < it->node_count; i++) {
    if (it->nodes[i].row == 0) continue;
    struct cri_heap_row *row = &rows[it->nodes[i].row - 1];
    if (row->seen++ == row->count / 2) find_example(it, heap, row, i);
  }
  heap->has_paths = 1;
}

#endif
