// Types: the type that the runtime returns for a mangled name, and how a field of that type stores
// references.

#include <string.h>

#include "Layers.h"

extern size_t swift_retainCount(const void *object);

size_t cri_strong_count(const void *object) { return swift_retainCount(object); }

#if CRI_CAN_SEARCH

__attribute__((weak, swiftcall)) const struct cri_metadata *swift_getTypeByMangledNameInContext(
    const char *name, size_t length, const void *context, const void *const *arguments);

CRI_UNCHECKED size_t cri_immediate_words(const struct cri_descriptor *it) {
  if (it->flags & CRI_CLASS_HAS_RESILIENT_SUPERCLASS) {
    const intptr_t *bounds = cri_relative((const int32_t *)&it->class_.negative_words_or_bounds);
    return (size_t)(*bounds / (intptr_t)sizeof(void *));
  }
  if (it->flags & CRI_CLASS_HAS_NEGATIVE_MEMBERS) return 0;
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
  // A control byte precedes a reference to a type: a relative address of four bytes, or a pointer.
  if (*at >= 0x01 && *at <= 0x17) return at + 5;
  return *at >= 0x18 && *at <= 0x1f ? at + 1 + sizeof(void *) : at + 1;
}

/// Returns the length of a mangled name, in which addresses may contain zero bytes.
static CRI_UNCHECKED size_t mangled_length(const char *name) {
  const char *end = name;
  while (*end != 0) end = after_symbol(end);
  return (size_t)(end - name);
}

/// Returns whether a name may be that of a type that depends on generic parameters.
static CRI_UNCHECKED bool is_dependent(const char *name) {
  for (; *name != 0; name = after_symbol(name)) {
    if (*name == 'x' || *name == 'q' || *name == 'Q') return true;
  }
  return false;
}

/// Returns whether the type of a block is a part of a name, as in Dispatch's classes.
/// Without Objective-C, the type has no value witnesses.
static CRI_UNCHECKED bool contains_block(const char *name) {
  for (; *name != 0; name = after_symbol(name)) {
    if (name[0] == 'X' && name[1] == 'B') return true;
  }
  return false;
}

/// Returns the type with a mangled name; NULL if the runtime cannot find it.
static const struct cri_metadata *resolve(const char *name, size_t length,
                                          const struct cri_descriptor *context,
                                          const void *const *arguments) {
  // The runtime traps if a name depends on a parameter and there are no arguments, and if it lays
  // out a value that contains a block.
  if (context == NULL && is_dependent(name)) return NULL;
  if (contains_block(name) || swift_getTypeByMangledNameInContext == NULL) return NULL;
  return swift_getTypeByMangledNameInContext(name, length, context, arguments);
}

static const char accessor_reference = 0x09;

static bool ends_with(const char *name, size_t length, const char *suffix) {
  size_t size = strlen(suffix);
  return length >= size && memcmp(name + length - size, suffix, size) == 0;
}

/// Returns the attributes of a lowered function type, as for a function that a closure captures;
/// NULL for another type. Such a name ends in "I", the letters of the attributes, and "_".
static const char *lowered_function(const char *name, size_t length) {
  if (length < 3 || name[length - 1] != '_') return NULL;
  for (size_t at = length - 1; at-- > 0;) {
    if (name[at] == 'I') return name + at + 1;
    bool is_attribute =
        (name[at] >= 'a' && name[at] <= 'z') || (name[at] >= 'A' && name[at] <= 'Z');
    if (!is_attribute) return NULL;
  }
  return NULL;
}

/// Returns whether a name is the type of a block or of a C function, optional or not.
static bool is_c_pointer(const char *name, size_t length) {
  if (ends_with(name, length, "Sg")) length -= 2;
  const char *attributes = lowered_function(name, length);
  if (attributes != NULL) return strpbrk(attributes, "BC") != NULL;
  return ends_with(name, length, "XB") || ends_with(name, length, "XC");
}

static bool begins_with(const char *name, size_t length, const char *prefix) {
  size_t size = strlen(prefix);
  return length >= size && memcmp(name, prefix, size) == 0;
}

/// Returns whether a name begins with a class; the class's arguments may follow.
static CRI_UNCHECKED bool begins_with_class(const char *name, size_t length) {
  if (length < 5 || (name[0] != 1 && name[0] != 2)) return false;
  int32_t offset;
  memcpy(&offset, name + 1, sizeof offset);
  const void *target = name + 1 + offset;
  if (name[0] == 2) target = *(const void *const *)target;
  return cri_descriptor_kind(target) == CRI_DESCRIPTOR_CLASS;
}

/// Returns whether the name shows that a value of the type, optional or not, is one reference to an
/// object. The runtime need not resolve such a type, because the object itself refers to its type.
/// This avoids a lock of the runtime that another thread may have held when the parent forked.
static CRI_UNCHECKED bool is_reference(const char *name, size_t length) {
  if (ends_with(name, length, "Sg")) length -= 2;
  bool is_class = begins_with_class(name, length);
  if (length == 5) return is_class;
  if (length == 3 && begins_with(name, length, "yXl")) return true;
  // The generic arguments, which end with the last "G", belong to the type at the start of the
  // name.
  if (!ends_with(name, length, "G")) return false;
  return (is_class && name[5] == 'y') || begins_with(name, length, "Say") ||
         begins_with(name, length, "SDy") || begins_with(name, length, "Shy");
}

/// Returns whether a name is the type of a stored function, optional or not.
static bool is_function(const char *name, size_t length) {
  if (ends_with(name, length, "Sg")) length -= 2;
  return length > 2 && name[length - 1] == 'c' && name[length - 2] != 'X' &&
         (unsigned char)name[length - 2] > ' ';
}

static struct cri_stored words(enum cri_reference reference, size_t count) {
  return (struct cri_stored){
      .reference = reference, .size = count * sizeof(void *), .alignment = sizeof(void *)};
}

static CRI_UNCHECKED struct cri_stored value(const struct cri_metadata *type) {
  // A generic argument may be the type of a block.
  const struct cri_witnesses *witnesses = type != NULL ? cri_witnesses(type) : NULL;
  if (witnesses == NULL) return (struct cri_stored){.reference = CRI_UNKNOWN};
  return (struct cri_stored){
      .reference = CRI_VALUE,
      .type = type,
      .size = witnesses->size,
      .alignment = (witnesses->flags & cri_witness_alignment) + 1,
  };
}

struct cri_stored cri_stored(const char *name, const struct cri_descriptor *context,
                             const void *const *arguments) {
  size_t length = mangled_length(name);
  // A noncopyable type, such as a mutex, has a name that calls an accessor function. The runtime
  // would resolve such a name to an empty type.
  if (name[0] == accessor_reference) return (struct cri_stored){.reference = CRI_UNKNOWN};
  if (ends_with(name, length, "_Xx") || ends_with(name, length, "Xb")) {
    return words(CRI_VARIABLE, 1);
  }
  if (ends_with(name, length, "Xw") || ends_with(name, length, "Xo") ||
      ends_with(name, length, "Xu")) {
    struct cri_stored referent = value(resolve(name, length, context, arguments));
    referent.reference = referent.reference == CRI_UNKNOWN ? CRI_UNKNOWN : CRI_NO_REFERENCE;
    // If the runtime does not find the type, one word is assumed; the reference is no edge anyway.
    return referent.reference == CRI_UNKNOWN ? words(CRI_NO_REFERENCE, 1) : referent;
  }
  if (length == 2 && memcmp(name, "Bo", 2) == 0) return words(CRI_OBJECT, 1);
  if (length == 2 && memcmp(name, "Bb", 2) == 0) return words(CRI_BRIDGED_OBJECT, 1);
  if (is_reference(name, length)) return words(CRI_OBJECT, 1);
  // One pointer to C memory, which the walk does not enter.
  if (is_c_pointer(name, length)) return words(CRI_NO_REFERENCE, 1);
  if (is_function(name, length) || lowered_function(name, length) != NULL) {
    return words(CRI_FUNCTION, 2);
  }
  return value(resolve(name, length, context, arguments));
}

#endif
