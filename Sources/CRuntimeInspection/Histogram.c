// The objects of a process, counted by type.
//
// A block contains an object if its first word is the address of a type's metadata, its second word
// can be reference counts, and the block is large enough for the type. The metadata of a heap
// object follows the address of the function that destroys the object: without such an address, the
// first word is not the address of metadata. A freed block does not count, because the allocator
// overwrites its first word.

#include <string.h>
#include <sys/types.h>

#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <sys/mman.h>

/// The counts of an object with weak references, as the runtime lays them out.
struct side_table {
  uintptr_t object, padding, counts;
};

/// The page that was read last. Side tables that were allocated in a row share a page, and a system
/// call for each would stop another process for longer.
struct page {
  uintptr_t address;
  char bytes[4096];
};

/// The offsets of a class's weak and unowned fields, which the search for holders skips.
struct skipped {
  uint32_t count, offsets[8];
};

struct histogram {
  struct cri_blocks blocks;
  struct cri_heap *heap;
  /// NULL if the count does not collect references.
  struct cri_holders *holders;
  /// A hash table that finds a row by its key: an entry is 0, or one more than the row's index.
  uint32_t *table;
  /// The key and the skipped fields of each row.
  uintptr_t *keys;
  struct skipped *skipped;
  struct page page;
  bool is_full;
};

static const uint32_t table_size = 2 * cri_most_heap_rows;

static size_t heap_bytes(void) {
  return sizeof(struct cri_heap) + cri_most_heap_rows * sizeof(struct cri_heap_row) +
         cri_most_heap_steps * sizeof(struct cri_heap_step) +
         cri_most_heap_groups * sizeof(struct cri_heap_group);
}

struct cri_heap *cri_new_heap(void) { return cri_pages(heap_bytes()); }

void cri_free_heap(struct cri_heap *heap) { munmap(heap, heap_bytes()); }

static struct cri_heap_row *rows(struct cri_heap *heap) {
  return (struct cri_heap_row *)(heap + 1);
}

// MARK: Reference counts

enum state { no_object, alive, dead };

/// Returns the state of an object with these counts. The low half is a flag that is always set and
/// the number of unowned references. The high half is a flag that is set once `deinit` has begun,
/// the number of strong references, and a flag of special cases, which a counted object does not
/// have.
static enum state state_with_counts(uintptr_t counts) {
  static const uintptr_t is_slow = (uintptr_t)1 << 63, deinit_has_begun = (uintptr_t)1 << 32;
  static const uint32_t immortal = UINT32_MAX, most_unowned = 1 << 24;
  uint32_t low = (uint32_t)counts;
  if (low == immortal) return alive;
  bool has_counts = low & 1 && low >> 1 > 0 && low >> 1 < most_unowned && !(counts & is_slow);
  if (!has_counts) return no_object;
  return counts & deinit_has_begun ? dead : alive;
}

static bool read_side_table(struct histogram *it, uintptr_t address, struct side_table *table) {
  struct page *page = &it->page;
  uintptr_t start = address & ~(sizeof page->bytes - 1), offset = address - start;
  if (offset > sizeof page->bytes - sizeof *table) {
    return cri_read_process(it->blocks.process, address, table, sizeof *table);
  }
  if (page->address != start) {
    page->address = 0;
    if (!cri_read_process(it->blocks.process, start, page->bytes, sizeof page->bytes)) return false;
    page->address = start;
  }
  memcpy(table, page->bytes + offset, sizeof *table);
  return true;
}

/// Returns the state of a block's object; `no_object` if the second word cannot be its counts.
static enum state state_of(struct histogram *it, const struct cri_block *block) {
  static const uintptr_t in_side_table = (uintptr_t)3 << 62;
  uintptr_t counts = block->words[1];
  if ((counts & in_side_table) != in_side_table) return state_with_counts(counts);
  // A weak reference migrated the counts to a side table. The word has the side table's address,
  // shifted right by 3 bits, and two marks.
  struct side_table table;
  bool is_table = counts << 3 >> 48 == 0 && read_side_table(it, counts << 3, &table) &&
                  table.object == block->address;
  return is_table ? state_with_counts(table.counts) : no_object;
}

// MARK: Types

/// Returns whether the word before the metadata's value witnesses is the address of code.
static bool has_destructor(const struct histogram *it, uintptr_t metadata) {
  uintptr_t destructor;
  uintptr_t place = metadata - 2 * sizeof destructor;
  if (!cri_read_process(it->blocks.process, place, &destructor, sizeof destructor)) return false;
  const struct cri_mapping *mapping = cri_mapping_of(&it->blocks, destructor);
  return mapping != NULL && mapping->is_executable;
}

static size_t instance_size(const struct histogram *it, uintptr_t metadata,
                            enum cri_node_kind kind) {
  struct cri_class class_;
  bool is_known = kind == CRI_NODE_OBJECT &&
                  cri_read_process(it->blocks.process, metadata, &class_, sizeof class_);
  return is_known ? class_.instance_size : 2 * sizeof(void *);
}

/// Returns the entry of a key in the hash table; the entry is 0 if no row has the key.
static uint32_t *place_of(const struct histogram *it, uintptr_t key) {
  uint32_t at = (uint32_t)((key >> 3) * 0x9e3779b97f4a7c15u >> 40);
  while (true) {
    uint32_t *place = &it->table[at++ % table_size];
    if (*place == 0 || it->keys[*place - 1] == key) return place;
  }
}

static struct cri_heap_row *add_row(struct histogram *it, uint32_t *place, uintptr_t key,
                                    struct cri_heap_row row) {
  if (it->heap->row_count == cri_most_heap_rows) return it->is_full = true, NULL;
  uint32_t index = it->heap->row_count++;
  *place = index + 1;
  it->keys[index] = key;
  rows(it->heap)[index] = row;
  if (it->holders != NULL && row.kind == CRI_NODE_OBJECT) {
    struct skipped *skipped = &it->skipped[index];
    const size_t most = sizeof skipped->offsets / sizeof *skipped->offsets;
    skipped->count = (uint32_t)cri_fields_that_hold_nothing(
        it->blocks.process, (uintptr_t)row.metadata, skipped->offsets, most);
  }
  return &rows(it->heap)[index];
}

/// Returns the row of a metadata; NULL if the word is not the address of one, or if there are too
/// many types.
static struct cri_heap_row *row_of(struct histogram *it, uintptr_t metadata) {
  uint32_t *place = place_of(it, metadata);
  if (*place != 0) return &rows(it->heap)[*place - 1];
  if (metadata % sizeof(void *) != 0 || cri_mapping_of(&it->blocks, metadata) == NULL) return NULL;
  enum cri_node_kind kind = cri_kind_of(it->blocks.process, metadata);
  if (kind == 0 || !has_destructor(it, metadata)) return NULL;
  return add_row(it, place, metadata, (struct cri_heap_row){
      .metadata = metadata, .kind = kind, .instance_size = instance_size(it, metadata, kind)});
}

/// Returns the row of an error's type: the boxes of all errors have the same metadata.
static struct cri_heap_row *row_of_error(struct histogram *it, struct cri_heap_row *all,
                                         uintptr_t error) {
  uintptr_t type = 0, place_of_type = error + 2 * sizeof type;
  cri_read_process(it->blocks.process, place_of_type, &type, sizeof type);
  // Odd, so that it differs from the key of every metadata, whose address is even.
  uintptr_t key = type | 1;
  uint32_t *place = place_of(it, key);
  if (*place != 0) return &rows(it->heap)[*place - 1];
  return add_row(it, place, key, (struct cri_heap_row){
      .metadata = type, .kind = CRI_NODE_ERROR, .instance_size = all->instance_size});
}

/// Returns the row of the type of a block's object; NULL if the block contains no object.
static struct cri_heap_row *row_of_block(struct histogram *it, const struct cri_block *block) {
  struct cri_heap_row *row = row_of(it, block->words[0]);
  if (row == NULL || block->size < row->instance_size) return NULL;
  return row->kind == CRI_NODE_ERROR ? row_of_error(it, row, block->address) : row;
}

static void add_holder(struct histogram *it, const struct cri_block *block,
                       const struct cri_heap_row *row) {
  if (it->holders == NULL) return;
  static const struct skipped none;
  uint32_t index = row ? (uint32_t)(row - rows(it->heap)) : 0;
  const struct skipped *skipped = row ? &it->skipped[index] : &none;
  cri_add_holder(it->holders, &it->blocks, block, row ? index + 1 : 0, skipped->offsets,
                 skipped->count);
}

static void add_other_holder(const struct cri_block *block, void *context) {
  add_holder(context, block, NULL);
}

static bool count_block(const struct cri_block *block, void *context) {
  struct histogram *it = context;
  enum state state = state_of(it, block);
  struct cri_heap_row *row = state == no_object ? NULL : row_of_block(it, block);
  if (row == NULL) return false;
  if (state == dead) {
    row->dead_count++;
    row->dead_bytes += block->size;
  } else {
    row->count++;
    row->bytes += block->size;
    add_holder(it, block, row);
  }
  return true;
}

static void visit_outside(const uintptr_t *words, size_t count, bool is_global, void *context) {
  struct histogram *it = context;
  cri_add_holding_words(it->holders, &it->blocks, words, count,
                        is_global ? CRI_HOLDER_GLOBAL : CRI_HOLDER_OTHER);
}

static void count_objects(int process, uint64_t deadline, struct cri_heap *heap,
                          struct cri_holders *holders) {
  struct histogram it = {
      .blocks = {.process = process, .deadline = deadline, .visit = count_block},
      .heap = heap,
      .holders = holders};
  it.blocks.context = &it;
  if (holders != NULL) {
    it.blocks.visit_other = add_other_holder;
    it.blocks.visit_outside = visit_outside;
    it.blocks.own_start = (uintptr_t)holders->memory;
    it.blocks.own_end = it.blocks.own_start + holders->size;
  }
  const size_t keys = cri_most_heap_rows * sizeof *it.keys;
  const size_t skipped = cri_most_heap_rows * sizeof *it.skipped;
  const size_t size = keys + skipped + table_size * sizeof *it.table;
  heap->process = process;
  heap->outcome = CRI_OUTCOME_NO_MEMORY;
  it.keys = cri_pages(size);
  if (it.keys == NULL) return;
  it.skipped = (struct skipped *)(it.keys + cri_most_heap_rows);
  it.table = (uint32_t *)(it.skipped + cri_most_heap_rows);
  bool is_walked = cri_walk_blocks(&it.blocks);
  munmap(it.keys, size);
  if (!is_walked) return;
  heap->outcome = it.is_full          ? CRI_OUTCOME_TOO_LARGE
                  : it.blocks.is_late ? CRI_OUTCOME_TIMEOUT
                                      : CRI_OUTCOME_COUNTED;
  heap->held_bytes = it.blocks.held_bytes;
  heap->free_bytes = it.blocks.free_bytes;
  heap->other_count = it.blocks.other_count;
  heap->other_bytes = it.blocks.other_bytes;
  heap->unread_bytes = it.blocks.unread_bytes;
}

void cri_count_all(int process, uint64_t deadline, struct cri_heap *heap, bool finds_paths,
                   void (*lets_continue)(void *context), void *context) {
  struct cri_holders holders = {0};
  bool has_memory = finds_paths && cri_prepare_holders(&holders);
  count_objects(process, deadline, heap, has_memory ? &holders : NULL);
  // The searches read only the collected references, not the process.
  if (lets_continue != NULL) lets_continue(context);
  if (has_memory && heap->outcome == CRI_OUTCOME_COUNTED) {
    cri_finish_holders(&holders, heap);
    cri_find_examples(&holders, heap);
    cri_find_retained(&holders, heap);
  }
  cri_free_holders(&holders);
}

#endif
