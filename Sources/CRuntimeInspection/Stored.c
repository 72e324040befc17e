#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

static const uintptr_t spare_bits = 0xf000000000000007;

static const char accessor_reference = 0x09;

static bool ends_with(const char *name, size_t length, const char *suffix) {
  size_t size = strlen(suffix);
  return length >= size && memcmp(name + length - size, suffix, size) == 0;
}

/// A function's type as a closure captures it: "I", its attributes, "_".
static bool is_lowered_function(const char *name, size_t length) {
  if (length < 3 || name[length - 1] != '_') return false;
  for (size_t at = length - 1; at-- > 0;) {
    if (name[at] == 'I') return true;
    bool is_attribute = (name[at] >= 'a' && name[at] <= 'z') || (name[at] >= 'A' && name[at] <= 'Z');
    if (!is_attribute) return false;
  }
  return false;
}

static bool begins_with(const char *name, size_t length, const char *prefix) {
  size_t size = strlen(prefix);
  return length >= size && memcmp(name, prefix, size) == 0;
}

/// A class. That its arguments follow it is for the caller to see.
static CRI_UNCHECKED bool begins_with_class(const char *name, size_t length) {
  if (length < 5 || (name[0] != 1 && name[0] != 2)) return false;
  int32_t offset;
  memcpy(&offset, name + 1, sizeof offset);
  const void *target = name + 1 + offset;
  if (name[0] == 2) target = *(const void *const *)target;
  return cri_descriptor_kind(target) == CRI_DESCRIPTOR_CLASS;
}

/// Whether a type, or what is optional of it, is known to be one reference: an object knows its own type. The
/// runtime need not be asked then; it may have been in the midst of something when this process was forked.
static CRI_UNCHECKED bool is_reference(const char *name, size_t length) {
  if (ends_with(name, length, "Sg")) length -= 2;
  bool is_class = begins_with_class(name, length);
  if (length == 5) return is_class;
  if (length == 3 && begins_with(name, length, "yXl")) return true;
  // What a type begins with is what its arguments, up to the last "G", are given to.
  if (!ends_with(name, length, "G")) return false;
  return (is_class && name[5] == 'y') || begins_with(name, length, "Say") ||
         begins_with(name, length, "SDy") || begins_with(name, length, "Shy");
}

/// A function, or an optional one, as it is stored.
static bool is_function(const char *name, size_t length) {
  if (ends_with(name, length, "Sg")) length -= 2;
  return length > 2 && name[length - 1] == 'c' && name[length - 2] != 'X' &&
         (unsigned char)name[length - 2] > ' ';
}

static struct cri_stored words(enum cri_reference reference, size_t count) {
  return (struct cri_stored){
      .reference = reference, .size = count * sizeof(void *), .alignment = sizeof(void *)};
}

static struct cri_stored value(const struct cri_metadata *type) {
  if (type == NULL) return (struct cri_stored){.reference = CRI_UNKNOWN};
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  return (struct cri_stored){
      .reference = CRI_VALUE,
      .type = type,
      .size = witnesses->size,
      .alignment = (witnesses->flags & cri_witness_alignment) + 1,
  };
}

struct cri_stored cri_stored(const char *name, const struct cri_descriptor *context,
                             const void *const *arguments) {
  size_t length = cri_mangled_length(name);
  // A type that cannot be copied, such as a mutex, is passed off as an empty one.
  if (name[0] == accessor_reference) return (struct cri_stored){.reference = CRI_UNKNOWN};
  if (ends_with(name, length, "_Xx") || ends_with(name, length, "Xb")) {
    return words(CRI_VARIABLE, 1);
  }
  if (ends_with(name, length, "Xw") || ends_with(name, length, "Xo") ||
      ends_with(name, length, "Xu")) {
    struct cri_stored referent = value(cri_resolve(name, length, context, arguments));
    referent.reference = referent.reference == CRI_UNKNOWN ? CRI_UNKNOWN : CRI_NO_REFERENCE;
    // Known to be no edge, even if what follows it is then at an unknown place.
    return referent.reference == CRI_UNKNOWN ? words(CRI_NO_REFERENCE, 1) : referent;
  }
  if (length == 2 && memcmp(name, "Bo", 2) == 0) return words(CRI_OBJECT, 1);
  if (length == 2 && memcmp(name, "Bb", 2) == 0) return words(CRI_BRIDGED_OBJECT, 1);
  if (is_reference(name, length)) return words(CRI_OBJECT, 1);
  if (is_function(name, length) || is_lowered_function(name, length)) {
    return words(CRI_FUNCTION, 2);
  }
  return value(cri_resolve(name, length, context, arguments));
}

static uintptr_t word(const unsigned char *bytes, size_t available) {
  uintptr_t it = 0;
  if (available >= sizeof it) memcpy(&it, bytes, sizeof it);
  return it;
}

void cri_visit_stored(struct cri_walk *walk, const struct cri_stored *it,
                      const unsigned char *bytes, size_t available) {
  switch (it->reference) {
    case CRI_UNKNOWN: return cri_scan_words(walk, bytes, available);
    case CRI_NO_REFERENCE: return;
    case CRI_OBJECT: return cri_found(walk, word(bytes, available), 0);
    case CRI_BRIDGED_OBJECT: return cri_found(walk, word(bytes, available) & ~spare_bits, 0);
    case CRI_VARIABLE: return cri_found(walk, word(bytes, available), CRI_EDGE_VARIABLE);
    case CRI_FUNCTION: return cri_visit_function(walk, bytes, available);
    case CRI_VALUE: return cri_visit_value(walk, it->type, bytes, available);
  }
}

void cri_visit_function(struct cri_walk *walk, const unsigned char *bytes, size_t available) {
  // Without a function the second word is not said to be anything.
  if (available < 2 * sizeof(void *) || word(bytes, available) == 0) return;
  cri_found(walk, word(bytes + sizeof(void *), sizeof(void *)), CRI_EDGE_SOLE_CAPTURE);
}

void cri_scan_words(struct cri_walk *walk, const unsigned char *bytes, size_t size) {
  for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
    cri_found(walk, word(bytes + at, sizeof(void *)), CRI_EDGE_PROBABLE);
  }
}

#endif
