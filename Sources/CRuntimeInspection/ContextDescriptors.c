#include <CMetadataSections.h>
#include <string.h>

#include "Metadata.h"

struct metadata_response {
  const void *metadata;
  size_t state;
};

static const uint32_t is_generic = 0x80;

const void *cri_metadata_of_class(const void *descriptor) {
  const struct cri_descriptor *class = descriptor;
  const void *accessor = cri_relative(&class->accessor);
  if ((class->flags & is_generic) || accessor == NULL) return NULL;
  // With 0 it returns what is complete, and waits for that.
  typedef __attribute__((swiftcall)) struct metadata_response (*accessor_function)(size_t request);
  return ((accessor_function)accessor)(0).metadata;
}

#ifdef __APPLE__
struct objective_c_class {
  const void *kind, *superclass, *cache[2];
  uintptr_t data;
  uint32_t flags, address_point, instance_size;
  uint16_t alignment_mask, reserved;
  uint32_t class_size, class_address_point;
  const void *descriptor;
};

const void *cri_descriptor_of_class(const void *metadata) {
  const struct objective_c_class *class = metadata;
  // What is not Swift's ends before.
  return (class->data & 3) ? class->descriptor : NULL;
}
#else
const void *cri_descriptor_of_class(const void *metadata) {
  return ((const struct cri_class *)metadata)->descriptor;
}
#endif

const void *cri_superclass_descriptor(const void *descriptor) {
  const struct cri_descriptor *class = descriptor;
  const char *name = cri_relative(&class->class_.superclass);
  // A mangled name begins with a reference to the type, whatever its arguments are, which is not aligned: 1 to its
  // descriptor, 2 to a pointer to that.
  if (name == NULL || (*name != 1 && *name != 2)) return NULL;
  int32_t offset;
  memcpy(&offset, name + 1, sizeof offset);
  const void *target = name + 1 + offset;
  if (*name == 2) memcpy(&target, target, sizeof target);
  return cri_descriptor_kind(target) == CRI_DESCRIPTOR_CLASS ? target : NULL;
}

CRI_UNCHECKED const void *cri_parent_context(const void *descriptor) {
  return cri_indirectable(&((const struct cri_descriptor *)descriptor)->parent);
}

CRI_UNCHECKED const char *cri_context_name(const void *descriptor) {
  const struct cri_descriptor *context = descriptor;
  enum cri_descriptor_kind kind = cri_descriptor_kind(context);
  // All kinds from classes on are types.
  if (kind != CRI_DESCRIPTOR_MODULE && kind < CRI_DESCRIPTOR_CLASS) return NULL;
  return cri_relative(&context->name);
}

CRI_UNCHECKED const char *cri_module_name(const void *descriptor) {
  const void *outermost = descriptor, *outer;
  while ((outer = cri_parent_context(outermost)) != NULL) outermost = outer;
  return cri_descriptor_kind(outermost) == CRI_DESCRIPTOR_MODULE ? cri_context_name(outermost) : NULL;
}
