// The classes in the images of the process: which classes a module declares, and the contents of
// the descriptor of a class or of another context.

#include <CRuntimeInspection.h>
#include <string.h>

#include "Layouts.h"

struct search {
  const char *modules;
  const void **descriptors;
  size_t capacity, count;
};

/// Returns whether a class comes from C, as the classes of Core Foundation do. Such a class has no
/// class metadata.
static bool is_foreign(const struct cri_descriptor *class) { return (class->flags >> 16 & 3) == 2; }

static bool is_wanted(const struct cri_descriptor *type, const struct search *search) {
  if (cri_descriptor_kind(type) != CRI_DESCRIPTOR_CLASS || is_foreign(type)) return false;
  const char *name = cri_module_name(type);
  for (const char *module = search->modules; *module != 0; module += strlen(module) + 1) {
    if (name != NULL && strcmp(name, module) == 0) return true;
  }
  return false;
}

/// Searches a section of relative addresses, one for each type. The two low bits of an address are
/// the kind of its target.
static void search_section(struct search *search, const int32_t *records, size_t size) {
  for (const int32_t *record = records; record < records + size / sizeof *record; record++) {
    // The target of a Swift type is a descriptor or a pointer to one: bit 1 is 0.
    if (*record == 0 || (*record & 2)) continue;
    const struct cri_descriptor *type = cri_indirectable(record);
    if (type == NULL || !is_wanted(type, search)) continue;
    if (search->count < search->capacity) search->descriptors[search->count] = type;
    search->count++;
  }
}

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

static bool search_images(struct search *search) {
  for (uint32_t index = 0; index < _dyld_image_count(); index++) {
    const struct mach_header_64 *image =
        (const struct mach_header_64 *)_dyld_get_image_header(index);
    unsigned long size = 0;
    const void *records = image ? getsectiondata(image, "__TEXT", "__swift5_types", &size) : NULL;
    if (records != NULL) search_section(search, records, size);
  }
  return true;
}
#else

struct section {
  const void *start;
  size_t size;
};

/// The first fields of the record with which an image registers at the runtime, `MetadataSections`.
struct image_sections {
  size_t version;
  const void *base, *unused[2];
  struct section protocols, conformances, types;
};

// Weak, so that the program also links with a runtime that lacks it.
__attribute__((weak)) extern void swift_enumerateAllMetadataSections(
    bool (*visit)(const struct image_sections *image, void *context), void *context);

static bool search_image(const struct image_sections *image, void *search) {
  search_section(search, image->types.start, image->types.size);
  return true;
}

static bool search_images(struct search *search) {
  if (!swift_enumerateAllMetadataSections) return false;
  swift_enumerateAllMetadataSections(search_image, search);
  return true;
}
#endif

ptrdiff_t cri_class_descriptors(const char *modules, const void **descriptors, size_t capacity) {
  struct search search = {modules, descriptors, capacity, 0};
  return search_images(&search) ? (ptrdiff_t)search.count : -1;
}

// MARK: Descriptors

struct metadata_response {
  const void *metadata;
  size_t state;
};

static const uint32_t is_generic = 0x80;

const void *cri_metadata_of_class(const void *descriptor) {
  const struct cri_descriptor *class = descriptor;
  const void *accessor = cri_relative(&class->accessor);
  if ((class->flags & is_generic) || accessor == NULL) return NULL;
  // Request 0 blocks until the metadata is complete.
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
  // An Objective-C class has no descriptor.
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
  // A mangled name begins with an unaligned reference to the type without its arguments: 1 is
  // followed by a relative address of the descriptor, 2 by one of a pointer to the descriptor.
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
  // Every kind from a class on is a type.
  if (kind != CRI_DESCRIPTOR_MODULE && kind < CRI_DESCRIPTOR_CLASS) return NULL;
  return cri_relative(&context->name);
}

CRI_UNCHECKED const char *cri_module_name(const void *descriptor) {
  const void *outermost = descriptor, *outer;
  while ((outer = cri_parent_context(outermost)) != NULL) outermost = outer;
  if (cri_descriptor_kind(outermost) != CRI_DESCRIPTOR_MODULE) return NULL;
  return cri_context_name(outermost);
}
