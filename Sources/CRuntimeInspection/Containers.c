#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

// Where the standard library's storage classes, whose layouts are frozen, keep what is not theirs by name.
static const size_t array_count = 16, array_elements = 32;
static const size_t hash_scale = 32, hash_keys = 48, hash_values = 56;
static const size_t set_bitmap = 56, dictionary_bitmap = 64;
static const size_t most_elements = 1 << 20;
static const size_t most_tail = 64 << 10;

static CRI_UNCHECKED bool is_named(const struct cri_descriptor *descriptor, const char *name) {
  return strcmp(cri_relative(&descriptor->name), name) == 0 && cri_is_of_the_library(descriptor);
}

CRI_UNCHECKED void cri_visit_elements(struct cri_walk *walk, const struct cri_metadata *type,
                                      uintptr_t address, size_t count, const uint64_t *bitmap) {
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  if (!(witnesses->flags & cri_witness_not_trivial)) return;
  if (count > most_elements) return cri_leave_out(walk);
  size_t before = cri_push_label(walk, "[x]", ""), stride = witnesses->stride;
  // Several at a time, so that the system is not asked for each.
  size_t used = walk->scratch_used, at_once = stride < 16384 ? 16384 / stride : 1;
  unsigned char *bytes = cri_scratch(walk, at_once * stride);
  for (size_t first = 0; bytes != NULL && first < count; first += at_once) {
    size_t here = count - first < at_once ? count - first : at_once;
    if (!cri_read(walk, address + first * stride, bytes, here * stride)) break;
    for (size_t i = 0; i < here; i++) {
      size_t at = first + i;
      if (bitmap != NULL && !(bitmap[at / 64] >> (at % 64) & 1)) continue;
      cri_visit_value(walk, type, bytes + i * stride, stride);
    }
  }
  walk->scratch_used = used;
  walk->label_length = before;
}

static CRI_UNCHECKED void visit_array(struct cri_walk *walk, const struct cri_node *node,
                                      const struct cri_metadata *element) {
  size_t count = cri_read_word(walk, node->address + array_count);
  size_t mask = cri_witnesses(element)->flags & cri_witness_alignment;
  cri_visit_elements(walk, element, node->address + ((array_elements + mask) & ~mask), count, NULL);
}

/// A hash table's `values` may be NULL: a set.
static CRI_UNCHECKED void visit_table(struct cri_walk *walk, const struct cri_node *node,
                                      const struct cri_metadata *key,
                                      const struct cri_metadata *value) {
  uintptr_t scale = cri_read_word(walk, node->address + hash_scale) & 0xff;
  size_t count = (size_t)1 << (scale & 31), words = (count + 63) / 64;
  if (count > most_elements) return cri_leave_out(walk);
  uint64_t *bitmap = cri_scratch(walk, words * sizeof *bitmap);
  uintptr_t place = node->address + (value ? dictionary_bitmap : set_bitmap);
  if (bitmap == NULL || !cri_read(walk, place, bitmap, words * sizeof *bitmap)) return;
  uintptr_t keys = cri_read_word(walk, node->address + hash_keys);
  cri_visit_elements(walk, key, keys, count, bitmap);
  if (value == NULL) return;
  cri_visit_elements(walk, value, cri_read_word(walk, node->address + hash_values), count, bitmap);
}

CRI_UNCHECKED bool cri_visit_storage(struct cri_walk *walk, const struct cri_node *node) {
  const struct cri_class *class_ = (const struct cri_class *)node->metadata;
  if (class_->descriptor == NULL || !(class_->descriptor->flags & 0x80)) return false;
  const struct cri_metadata *const *arguments =
      (const struct cri_metadata *const *)cri_generic_arguments(node->metadata);
  if (is_named(class_->descriptor, "_ContiguousArrayStorage")) {
    visit_array(walk, node, arguments[0]);
  } else if (is_named(class_->descriptor, "_DictionaryStorage")) {
    visit_table(walk, node, arguments[0], arguments[1]);
  } else if (is_named(class_->descriptor, "_SetStorage")) {
    visit_table(walk, node, arguments[0], NULL);
  } else {
    return false;
  }
  return true;
}

CRI_UNCHECKED void cri_visit_tail(struct cri_walk *walk, const struct cri_node *node) {
  const struct cri_class *class_ = (const struct cri_class *)node->metadata;
  size_t begin = class_->instance_size;
  for (; class_ != NULL; class_ = class_->superclass) {
    if (class_->descriptor != NULL && is_named(class_->descriptor, "ManagedBuffer")) break;
  }
  if (class_ == NULL) return;
  const void *const *arguments = cri_generic_arguments((const struct cri_metadata *)class_);
  const struct cri_metadata *element = arguments[1];
  if (!(cri_witnesses(element)->flags & cri_witness_not_trivial)) return;
  // How many of the elements there are is the subclass's affair.
  begin = (begin + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
  size_t end = cri_block_size(node->address, most_tail), used = walk->scratch_used;
  unsigned char *bytes = end > begin ? cri_scratch(walk, end - begin) : NULL;
  size_t before = cri_push_label(walk, "[x]", "");
  if (bytes != NULL && cri_read(walk, node->address + begin, bytes, end - begin)) {
    cri_scan_words(walk, bytes, end - begin);
  }
  walk->label_length = before;
  walk->scratch_used = used;
}

#endif
