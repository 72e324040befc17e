#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

static const uint32_t indirect_case = 1;

/// The payload of case number `tag`, which has been projected.
static CRI_UNCHECKED void visit_payload(struct cri_walk *walk, const struct cri_metadata *type,
                                        uint32_t tag, const unsigned char *payload, size_t size) {
  const struct cri_fields *fields = cri_relative(&type->descriptor->fields);
  const struct cri_field *field = &fields->records[tag];
  const char *name = cri_relative(&field->type);
  if (name == NULL) return;
  bool is_optional = type->kind == CRI_KIND_OPTIONAL;
  const char *label = is_optional ? NULL : cri_relative(&field->name);
  size_t before = label ? cri_push_label(walk, ".", label) : walk->label_length;
  if (field->flags & indirect_case) {
    // A box, which knows what is in it.
    uintptr_t box;
    memcpy(&box, payload, sizeof box);
    cri_found(walk, box, CRI_EDGE_VARIABLE);
  } else {
    struct cri_stored stored = cri_stored(name, type->descriptor, cri_generic_arguments(type));
    cri_visit_stored(walk, &stored, payload, size);
  }
  walk->label_length = before;
}

CRI_UNCHECKED void cri_visit_enum(struct cri_walk *walk, const struct cri_metadata *type,
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

#endif
