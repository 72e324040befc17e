#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

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
  // With a superclass of another module that may grow, the place is counted from where our members begin.
  if (descriptor->flags & (1u << (16 + 13))) vector += cri_immediate_words(descriptor);
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

CRI_UNCHECKED void cri_warm(const void *object) {
  const struct cri_class *class_ = *(const struct cri_class *const *)object;
  for (; class_ != NULL && class_->kind == CRI_KIND_CLASS; class_ = class_->superclass) {
    const struct cri_descriptor *descriptor = class_->descriptor;
    const struct cri_fields *fields = descriptor ? cri_relative(&descriptor->fields) : NULL;
    if (fields == NULL) continue;
    const void *const *arguments = cri_generic_arguments((const struct cri_metadata *)class_);
    for (uint32_t i = 0; i < fields->count && i < descriptor->class_.field_count; i++) {
      const char *name = cri_relative(&fields->records[i].type);
      if (name != NULL) cri_stored(name, descriptor, arguments);
    }
  }
}

CRI_UNCHECKED void cri_visit_object(struct cri_walk *walk, const struct cri_node *node) {
  if (cri_visit_storage(walk, node)) return;
  const struct cri_class *class_ = (const struct cri_class *)node->metadata;
  size_t size = class_->instance_size;
  unsigned char *bytes = cri_scratch(walk, size);
  if (bytes == NULL || !cri_read(walk, node->address, bytes, size)) return;
  for (; class_ != NULL && class_->kind == CRI_KIND_CLASS; class_ = class_->superclass) {
    if (class_->descriptor != NULL) visit_level(walk, class_, bytes, size);
  }
  cri_visit_tail(walk, node);
}

#endif
