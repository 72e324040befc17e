// The references in a block of the heap: in an object and the elements that the standard library
// stores behind its fields, in a closure's context, and in the box of a captured variable or of an
// error.

#include <string.h>

#include "Layers.h"

#if CRI_CAN_SEARCH

// MARK: Elements behind an object

// Offsets in the standard library's storage classes. Their layouts are frozen, but no type metadata
// describes the elements behind the fields.
static const size_t array_count = 16, array_elements = 32;
static const size_t hash_scale = 32, hash_keys = 48, hash_values = 56;
static const size_t set_bitmap = 56, dictionary_bitmap = 64;
static const size_t most_elements = 1 << 20;
static const size_t most_tail = 64 << 10;

static CRI_UNCHECKED bool is_named(const struct cri_descriptor *descriptor, const char *name) {
  return strcmp(cri_relative(&descriptor->name), name) == 0 && cri_is_of_the_library(descriptor);
}

/// Visits `count` adjacent values. `bitmap` has a set bit for each value that exists; NULL if all
/// values exist.
static CRI_UNCHECKED void visit_elements(struct cri_walk *walk, const struct cri_metadata *type,
                                         uintptr_t address, size_t count,
                                         const uint64_t *bitmap) {
  if (!cri_holds_references(type)) return;
  if (count > most_elements) return cri_leave_out(walk);
  size_t before = cri_push_label(walk, "[x]", ""), stride = cri_witnesses(type)->stride;
  // Several at a time, to save system calls.
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
  if (!cri_holds_references(element)) return;
  size_t count = cri_read_word(walk, node->address + array_count);
  size_t mask = cri_witnesses(element)->flags & cri_witness_alignment;
  visit_elements(walk, element, node->address + ((array_elements + mask) & ~mask), count, NULL);
}

/// Visits a hash table; `value` is NULL for a set.
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
  visit_elements(walk, key, keys, count, bitmap);
  if (value == NULL) return;
  visit_elements(walk, value, cri_read_word(walk, node->address + hash_values), count, bitmap);
}

/// Visits the elements of a storage object of an array, a dictionary or a set; returns false for
/// any other object.
static CRI_UNCHECKED bool visit_storage(struct cri_walk *walk, const struct cri_node *node) {
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

/// Visits the elements behind the fields of a managed buffer.
static CRI_UNCHECKED void visit_tail(struct cri_walk *walk, const struct cri_node *node) {
  const struct cri_class *class_ = (const struct cri_class *)node->metadata;
  size_t begin = class_->instance_size;
  for (; class_ != NULL; class_ = class_->superclass) {
    if (class_->descriptor != NULL && is_named(class_->descriptor, "ManagedBuffer")) break;
  }
  if (class_ == NULL) return;
  const void *const *arguments = cri_generic_arguments((const struct cri_metadata *)class_);
  const struct cri_metadata *element = arguments[1];
  if (!cri_holds_references(element)) return;
  // Only the subclass knows the number of elements, so the walk scans the whole block.
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

// MARK: Objects

static const char lazy_prefix[] = "$__lazy_storage_$_";

static CRI_UNCHECKED const char *field_name(const struct cri_field *field) {
  const char *name = cri_relative(&field->name);
  if (name == NULL) return "?";
  size_t prefix = sizeof lazy_prefix - 1;
  return strncmp(name, lazy_prefix, prefix) == 0 ? name + prefix : name;
}

static CRI_UNCHECKED void visit_level(struct cri_walk *walk, const struct cri_class *class_,
                                      const unsigned char *bytes, size_t size) {
  const struct cri_descriptor *descriptor = class_->descriptor;
  const struct cri_fields *fields = cri_relative(&descriptor->fields);
  if (fields == NULL) {
    size_t inherited = class_->superclass ? class_->superclass->instance_size : 16;
    size_t before = cri_push_label(walk, ".", "?");
    if (inherited < size) cri_scan_words(walk, bytes + inherited, size - inherited);
    walk->label_length = before;
    return;
  }
  size_t vector = descriptor->class_.vector;
  // If a superclass is resilient, that is, a newer version of its module may have more members, the
  // offset of the vector counts from this class's first member.
  if (descriptor->flags & CRI_CLASS_HAS_RESILIENT_SUPERCLASS) {
    vector += cri_immediate_words(descriptor);
  }
  const size_t *offsets = (const size_t *)class_ + vector;
  const void *const *arguments = cri_generic_arguments((const struct cri_metadata *)class_);
  for (uint32_t i = 0; i < fields->count && i < descriptor->class_.field_count; i++) {
    const char *name = cri_relative(&fields->records[i].type);
    if (name == NULL || offsets[i] < 16 || offsets[i] >= size) continue;
    struct cri_stored stored = cri_stored(name, descriptor, arguments);
    size_t before = cri_push_label(walk, ".", field_name(&fields->records[i]));
    size_t end = i + 1 < fields->count && offsets[i + 1] > offsets[i] && offsets[i + 1] <= size
                     ? offsets[i + 1]
                     : size;
    cri_visit_stored(walk, &stored, bytes + offsets[i], end - offsets[i]);
    walk->label_length = before;
  }
}

CRI_UNCHECKED void cri_visit_object(struct cri_walk *walk, const struct cri_node *node) {
  if (visit_storage(walk, node)) return;
  const struct cri_class *class_ = (const struct cri_class *)node->metadata;
  size_t size = class_->instance_size;
  unsigned char *bytes = cri_scratch(walk, size);
  if (bytes == NULL || !cri_read(walk, node->address, bytes, size)) return;
  for (; class_ != NULL && class_->kind == CRI_KIND_CLASS; class_ = class_->superclass) {
    if (class_->descriptor != NULL) visit_level(walk, class_, bytes, size);
  }
  visit_tail(walk, node);
}

// MARK: Closures, variables and errors

/// The number of bytes of a context to scan, beginning with a capture of unknown type.
static const size_t unknown_tail = 128;

static CRI_UNCHECKED void scan_tail(struct cri_walk *walk, uintptr_t context, size_t offset) {
  size_t size = cri_block_size(context, offset + unknown_tail);
  if (size <= offset) return;
  unsigned char *bytes = cri_scratch(walk, size - offset);
  if (bytes != NULL && cri_read(walk, context + offset, bytes, size - offset)) {
    cri_scan_words(walk, bytes, size - offset);
  }
}

static CRI_UNCHECKED void visit_captures(struct cri_walk *walk, uintptr_t context,
                                         const struct cri_context *metadata) {
  const struct cri_captures *captures = metadata->captures;
  size_t offset = metadata->first_offset;
  if (captures == NULL || offset < 16 || offset > 4096) return scan_tail(walk, context, 16);
  offset += captures->binding_count * sizeof(void *);
  for (uint32_t i = 0; i < captures->count; i++) {
    const char *name = cri_relative(&captures->types[i]);
    struct cri_stored stored = {.reference = CRI_UNKNOWN};
    if (name != NULL) stored = cri_stored(name, NULL, NULL);
    // Without this capture's size, the offsets of the following captures are unknown too.
    if (stored.reference == CRI_UNKNOWN) return scan_tail(walk, context, offset);
    size_t used = walk->scratch_used;
    offset = (offset + stored.alignment - 1) & ~(stored.alignment - 1);
    unsigned char *bytes = cri_scratch(walk, stored.size);
    if (bytes != NULL && cri_read(walk, context + offset, bytes, stored.size)) {
      cri_visit_stored(walk, &stored, bytes, stored.size);
    }
    walk->scratch_used = used;
    offset += stored.size;
  }
}

static CRI_UNCHECKED void visit_error(struct cri_walk *walk, uintptr_t error) {
  uintptr_t type = cri_read_word(walk, error + 16);
  if (!cri_is_value_type(walk, type)) return;
  const struct cri_metadata *metadata = (const struct cri_metadata *)type;
  size_t mask = cri_witnesses(metadata)->flags & cri_witness_alignment;
  walk->payload = CRI_EDGE_PAYLOAD;
  cri_visit_heap_value(walk, metadata, error + ((32 + mask) & ~mask));
}

CRI_UNCHECKED void cri_visit_context(struct cri_walk *walk, const struct cri_node *node) {
  const struct cri_metadata *metadata = node->metadata;
  // The value in a box belongs to the value that refers to the box.
  if (node->kind == CRI_NODE_VARIABLE) walk->payload = node->edge_flags & CRI_EDGE_PAYLOAD;
  if (node->kind == CRI_NODE_ERROR) return visit_error(walk, node->address);
  cri_push_label(walk, node->kind == CRI_NODE_VARIABLE ? "value" : "capture", "");
  if (metadata->kind == CRI_KIND_CONTEXT) {
    return visit_captures(walk, node->address, (const struct cri_context *)metadata);
  }
  const struct cri_box *box = (const struct cri_box *)metadata;
  if (box->type == NULL || !cri_is_value_type(walk, (uintptr_t)box->type)) return;
  cri_visit_heap_value(walk, box->type, node->address + box->offset);
}

#endif
