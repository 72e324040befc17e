#include "Metadata.h"

#include <CMetadataSections.h>
#include <string.h>

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

__attribute__((weak, swiftcall)) const struct cri_metadata *swift_getTypeByMangledNameInContext(
    const char *name, size_t length, const void *context, const void *const *arguments);

static const uint32_t has_resilient_superclass = 1u << (16 + 13);
static const uint32_t negative_members = 1u << (16 + 12);

CRI_UNCHECKED size_t cri_immediate_words(const struct cri_descriptor *it) {
  if (it->flags & has_resilient_superclass) {
    const intptr_t *bounds = cri_relative((const int32_t *)&it->class_.negative_words_or_bounds);
    return (size_t)(*bounds / (intptr_t)sizeof(void *));
  }
  if (it->flags & negative_members) return 0;
  return it->class_.positive_words - it->class_.immediate_count;
}

CRI_UNCHECKED const void *const *cri_generic_arguments(const struct cri_metadata *type) {
  const void *const *words = (const void *const *)type;
  if (type->kind != CRI_KIND_CLASS) return words + 2;
  return words + cri_immediate_words(((const struct cri_class *)type)->descriptor);
}

CRI_UNCHECKED bool cri_is_of_the_library(const struct cri_descriptor *it) {
  const char *module = cri_module_name(it);
  return module != NULL && (strcmp(module, "Swift") == 0 || strcmp(module, "_Concurrency") == 0 ||
                            strcmp(module, "Synchronization") == 0);
}

static CRI_UNCHECKED const char *after_symbol(const char *at) {
  // A control byte is followed by a reference: of four bytes, or of an address.
  if (*at >= 0x01 && *at <= 0x17) return at + 5;
  return *at >= 0x18 && *at <= 0x1f ? at + 1 + sizeof(void *) : at + 1;
}

CRI_UNCHECKED size_t cri_mangled_length(const char *name) {
  const char *end = name;
  while (*end != 0) end = after_symbol(end);
  return (size_t)(end - name);
}

/// Whether a name may be of a type that depends on parameters.
static CRI_UNCHECKED bool is_dependent(const char *name) {
  for (; *name != 0; name = after_symbol(name)) {
    if (*name == 'x' || *name == 'q' || *name == 'Q') return true;
  }
  return false;
}

const struct cri_metadata *cri_resolve(const char *name, size_t length,
                                       const struct cri_descriptor *context,
                                       const void *const *arguments) {
  // The runtime ends the process rather than to say that it was not told a parameter.
  if (context == NULL && is_dependent(name)) return NULL;
  if (swift_getTypeByMangledNameInContext == NULL) return NULL;
  return swift_getTypeByMangledNameInContext(name, length, context, arguments);
}

#endif
