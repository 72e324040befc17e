#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <stdio.h>
#include <string.h>

static const unsigned deepest = 24;
static const uintptr_t most_members = 64;

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
    if (!is_library) cri_push_label(walk, ".", label ? label : "?");
    cri_visit_stored(walk, &stored, bytes + offsets[i], available - offsets[i]);
    walk->label_length = before;
  }
}

static CRI_UNCHECKED void visit_tuple(struct cri_walk *walk, const struct cri_tuple *type,
                                      const unsigned char *bytes, size_t available) {
  if (type->count > most_members) cri_leave_out(walk);
  for (uintptr_t i = 0; i < type->count && i < most_members; i++) {
    uint32_t offset = type->elements[i].offset;
    if (offset >= available) continue;
    char number[3] = {(char)('0' + i / 10), (char)('0' + i % 10), 0};
    size_t before = cri_push_label(walk, ".", i < 10 ? number + 1 : number);
    cri_visit_value(walk, type->elements[i].type, bytes + offset, available - offset);
    walk->label_length = before;
  }
}

static CRI_UNCHECKED void visit_fixed_array(struct cri_walk *walk,
                                            const struct cri_fixed_array *type,
                                            const unsigned char *bytes, size_t available) {
  size_t stride = cri_witnesses(type->element)->stride;
  size_t before = cri_push_label(walk, "[x]", "");
  for (uintptr_t i = 0; i < type->count && (i + 1) * stride <= available; i++) {
    cri_visit_value(walk, type->element, bytes + i * stride, stride);
  }
  walk->label_length = before;
}

static CRI_UNCHECKED void visit_kind(struct cri_walk *walk, const struct cri_metadata *type,
                                     const unsigned char *bytes, size_t available) {
  uintptr_t word = 0;
  switch (type->kind) {
    case CRI_KIND_CLASS:
      if (available >= sizeof word) memcpy(&word, bytes, sizeof word);
      return cri_found(walk, word, 0);
    case CRI_KIND_STRUCT: return visit_struct(walk, type, bytes, available);
    case CRI_KIND_ENUM:
    case CRI_KIND_OPTIONAL: return cri_visit_enum(walk, type, bytes, available);
    case CRI_KIND_TUPLE: return visit_tuple(walk, (const struct cri_tuple *)type, bytes, available);
    case CRI_KIND_FUNCTION: return cri_visit_function(walk, bytes, available);
    case CRI_KIND_EXISTENTIAL: return cri_visit_existential(walk, type, bytes, available);
    case CRI_KIND_FIXED_ARRAY:
      return visit_fixed_array(walk, (const struct cri_fixed_array *)type, bytes, available);
    default: return cri_scan_words(walk, bytes, available);
  }
}

CRI_UNCHECKED void cri_visit_value(struct cri_walk *walk, const struct cri_metadata *type,
                                   const unsigned char *bytes, size_t available) {
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  if (!(witnesses->flags & cri_witness_not_trivial)) return;
  if (walk->depth == deepest) return cri_leave_out(walk);
  walk->depth++;
  visit_kind(walk, type, bytes, available < witnesses->size ? available : witnesses->size);
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
