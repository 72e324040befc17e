// The references in a value: in a single word or, as the type's metadata describes them, in the
// parts of a struct, an enum, a tuple, an existential or a fixed array. `available` is the number
// of readable bytes.

#include <string.h>

#include "Layers.h"

#if CRI_CAN_SEARCH

/// The bits of an object's address in which Swift may store other data.
static const uintptr_t spare_bits = 0xf000000000000007;
/// The maximum nesting of values.
static const unsigned deepest = 24;
static const uintptr_t most_members = 64;

static uintptr_t word(const unsigned char *bytes, size_t available) {
  uintptr_t it = 0;
  if (available >= sizeof it) memcpy(&it, bytes, sizeof it);
  return it;
}

void cri_scan_words(struct cri_walk *walk, const unsigned char *bytes, size_t size) {
  for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
    cri_found(walk, word(bytes + at, sizeof(void *)), CRI_EDGE_PROBABLE);
  }
}

static void visit_function(struct cri_walk *walk, const unsigned char *bytes, size_t available) {
  // If the first word, the function's address, is 0, the second word has no meaning.
  if (available < 2 * sizeof(void *) || word(bytes, available) == 0) return;
  cri_found(walk, word(bytes + sizeof(void *), sizeof(void *)), CRI_EDGE_SOLE_CAPTURE);
}

void cri_visit_stored(struct cri_walk *walk, const struct cri_stored *it,
                      const unsigned char *bytes, size_t available) {
  switch (it->reference) {
    case CRI_UNKNOWN: return cri_scan_words(walk, bytes, available);
    case CRI_NO_REFERENCE: return;
    case CRI_OBJECT: return cri_found(walk, word(bytes, available), 0);
    case CRI_BRIDGED_OBJECT: return cri_found(walk, word(bytes, available) & ~spare_bits, 0);
    case CRI_VARIABLE: return cri_found(walk, word(bytes, available), CRI_EDGE_VARIABLE);
    case CRI_FUNCTION: return visit_function(walk, bytes, available);
    case CRI_VALUE: return cri_visit_value(walk, it->type, bytes, available);
  }
}

// MARK: Values with a type

static CRI_UNCHECKED void visit_struct(struct cri_walk *walk, const struct cri_metadata *type,
                                       const unsigned char *bytes, size_t available) {
  const struct cri_descriptor *descriptor = type->descriptor;
  const struct cri_fields *fields = cri_relative(&descriptor->fields);
  if (fields == NULL) return cri_scan_words(walk, bytes, available);
  const uint32_t *offsets =
      (const uint32_t *)((const uintptr_t *)type + descriptor->struct_.vector);
  bool is_library = cri_is_of_the_library(descriptor);
  for (uint32_t i = 0; i < fields->count && i < descriptor->struct_.field_count; i++) {
    const char *name = cri_relative(&fields->records[i].type);
    if (name == NULL || offsets[i] >= available) continue;
    struct cri_stored stored = cri_stored(name, descriptor, cri_generic_arguments(type));
    const char *label = cri_relative(&fields->records[i].name);
    size_t before = walk->label_length;
    uint16_t outer = walk->payload;
    walk->payload = is_library ? CRI_EDGE_PAYLOAD : 0;
    if (!is_library) cri_push_label(walk, ".", label ? label : "?");
    cri_visit_stored(walk, &stored, bytes + offsets[i], available - offsets[i]);
    walk->label_length = before;
    walk->payload = outer;
  }
}

static CRI_UNCHECKED void visit_tuple(struct cri_walk *walk, const struct cri_tuple *type,
                                      const unsigned char *bytes, size_t available) {
  if (type->count > most_members) cri_leave_out(walk);
  uint16_t outer = walk->payload;
  walk->payload = CRI_EDGE_PAYLOAD;
  for (uintptr_t i = 0; i < type->count && i < most_members; i++) {
    uint32_t offset = type->elements[i].offset;
    if (offset >= available) continue;
    char number[3] = {(char)('0' + i / 10), (char)('0' + i % 10), 0};
    size_t before = cri_push_label(walk, ".", i < 10 ? number + 1 : number);
    cri_visit_value(walk, type->elements[i].type, bytes + offset, available - offset);
    walk->label_length = before;
  }
  walk->payload = outer;
}

static CRI_UNCHECKED void visit_fixed_array(struct cri_walk *walk,
                                            const struct cri_fixed_array *type,
                                            const unsigned char *bytes, size_t available) {
  size_t stride = cri_witnesses(type->element)->stride;
  size_t before = cri_push_label(walk, "[x]", "");
  uint16_t outer = walk->payload;
  walk->payload = 0;
  for (uintptr_t i = 0; i < type->count && (i + 1) * stride <= available; i++) {
    cri_visit_value(walk, type->element, bytes + i * stride, stride);
  }
  walk->label_length = before;
  walk->payload = outer;
}

static const uint32_t indirect_case = 1;

/// Visits the payload of case number `tag`. The witness `project` has removed the tag from the
/// bytes.
static CRI_UNCHECKED void visit_payload(struct cri_walk *walk, const struct cri_metadata *type,
                                        uint32_t tag, const unsigned char *payload, size_t size) {
  const struct cri_fields *fields = cri_relative(&type->descriptor->fields);
  const struct cri_field *field = &fields->records[tag];
  const char *name = cri_relative(&field->type);
  if (name == NULL) return;
  bool is_optional = type->kind == CRI_KIND_OPTIONAL;
  const char *label = is_optional ? NULL : cri_relative(&field->name);
  size_t before = label ? cri_push_label(walk, ".", label) : walk->label_length;
  uint16_t outer = walk->payload;
  if (!is_optional) walk->payload = CRI_EDGE_PAYLOAD;
  if (field->flags & indirect_case) {
    // The payload is a box; the box's metadata refers to the type of its content.
    uintptr_t box;
    memcpy(&box, payload, sizeof box);
    cri_found(walk, box, CRI_EDGE_VARIABLE);
  } else {
    struct cri_stored stored = cri_stored(name, type->descriptor, cri_generic_arguments(type));
    bool is_nested = stored.type != NULL && stored.type->kind == CRI_KIND_OPTIONAL;
    if (is_nested) walk->payload = CRI_EDGE_PAYLOAD;
    cri_visit_stored(walk, &stored, payload, size);
  }
  walk->label_length = before;
  walk->payload = outer;
}

static CRI_UNCHECKED void visit_enum(struct cri_walk *walk, const struct cri_metadata *type,
                                     const unsigned char *bytes, size_t available) {
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  size_t size = witnesses->size, used = walk->scratch_used;
  const struct cri_fields *fields = cri_relative(&type->descriptor->fields);
  unsigned char *copy = cri_scratch(walk, size);
  bool is_known = fields != NULL && witnesses->flags & cri_witness_enum && size <= available;
  if (!is_known || copy == NULL) return cri_scan_words(walk, bytes, available);
  memcpy(copy, bytes, size);
  uint32_t tag = witnesses->tag(copy, type);
  if (tag < (type->descriptor->enum_.payloads & 0xffffff) && tag < fields->count) {
    witnesses->project(copy, type);
    visit_payload(walk, type, tag, copy, size);
  }
  walk->scratch_used = used;
}

static const uint32_t any_value = 0x80000000;
static const uint32_t special_protocol = 0x3f000000;

/// Visits an opaque existential: three words with the value, or with the address of its box in the
/// first word, and then the type. Witness tables may follow.
static CRI_UNCHECKED void visit_opaque(struct cri_walk *walk, const unsigned char *bytes) {
  uintptr_t words[4];
  memcpy(words, bytes, sizeof words);
  if (!cri_is_value_type(walk, words[3])) return;
  const struct cri_metadata *type = (const struct cri_metadata *)words[3];
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  size_t mask = witnesses->flags & cri_witness_alignment;
  uint16_t outer = walk->payload;
  walk->payload = CRI_EDGE_PAYLOAD;
  if (!(witnesses->flags & cri_witness_not_inline)) {
    cri_visit_value(walk, type, bytes, 3 * sizeof(void *));
  } else if (words[0] != 0) {
    cri_visit_heap_value(walk, type, words[0] + ((16 + mask) & ~mask));
  }
  walk->payload = outer;
}

static CRI_UNCHECKED void visit_existential(struct cri_walk *walk,
                                            const struct cri_metadata *type,
                                            const unsigned char *bytes, size_t available) {
  uint32_t flags = ((const struct cri_existential *)type)->flags;
  // An object, or an error in its own box.
  if (!(flags & any_value) || flags & special_protocol) {
    return cri_found(walk, word(bytes, available), 0);
  }
  if (available >= 4 * sizeof(void *)) visit_opaque(walk, bytes);
}

static CRI_UNCHECKED void visit_extended_existential(
    struct cri_walk *walk, const struct cri_extended_existential *type, const unsigned char *bytes,
    size_t available) {
  switch (*type->shape_flags & cri_shape_layout) {
    case CRI_LAYOUT_OPAQUE:
      if (available >= 4 * sizeof(void *)) visit_opaque(walk, bytes);
      return;
    case CRI_LAYOUT_OBJECT: return cri_found(walk, word(bytes, available), 0);
    case CRI_LAYOUT_METATYPE: return;
    default: return cri_scan_words(walk, bytes, available);
  }
}

static CRI_UNCHECKED void visit_kind(struct cri_walk *walk, const struct cri_metadata *type,
                                     const unsigned char *bytes, size_t available) {
  switch (type->kind) {
    case CRI_KIND_CLASS: return cri_found(walk, word(bytes, available), 0);
    case CRI_KIND_STRUCT: return visit_struct(walk, type, bytes, available);
    case CRI_KIND_ENUM:
    case CRI_KIND_OPTIONAL: return visit_enum(walk, type, bytes, available);
    case CRI_KIND_TUPLE: return visit_tuple(walk, (const struct cri_tuple *)type, bytes, available);
    case CRI_KIND_FUNCTION: return visit_function(walk, bytes, available);
    case CRI_KIND_EXISTENTIAL: return visit_existential(walk, type, bytes, available);
    case CRI_KIND_EXTENDED_EXISTENTIAL:
      return visit_extended_existential(walk, (const struct cri_extended_existential *)type, bytes,
                                        available);
    case CRI_KIND_FIXED_ARRAY:
      return visit_fixed_array(walk, (const struct cri_fixed_array *)type, bytes, available);
    default: return cri_scan_words(walk, bytes, available);
  }
}

CRI_UNCHECKED void cri_visit_value(struct cri_walk *walk, const struct cri_metadata *type,
                                   const unsigned char *bytes, size_t available) {
  if (!cri_holds_references(type)) return;
  if (walk->depth == deepest) return cri_leave_out(walk);
  size_t size = cri_witnesses(type)->size;
  walk->depth++;
  visit_kind(walk, type, bytes, available < size ? available : size);
  walk->depth--;
}

CRI_UNCHECKED void cri_visit_heap_value(struct cri_walk *walk, const struct cri_metadata *type,
                                        uintptr_t address) {
  size_t used = walk->scratch_used, size = cri_witnesses(type)->size;
  unsigned char *bytes = cri_scratch(walk, size);
  if (bytes != NULL && cri_read(walk, address, bytes, size)) {
    cri_visit_value(walk, type, bytes, size);
  }
  walk->scratch_used = used;
}

#endif
