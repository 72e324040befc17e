#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <string.h>

static const uint32_t any_value = 0x80000000;
static const uint32_t special_protocol = 0x3f000000;

/// Three words, or a box in the first of them, and the type.
static CRI_UNCHECKED void visit_opaque(struct cri_walk *walk, const unsigned char *bytes) {
  uintptr_t words[4];
  memcpy(words, bytes, sizeof words);
  if (!cri_is_value_type(walk, words[3])) return;
  const struct cri_metadata *type = (const struct cri_metadata *)words[3];
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  if (!(witnesses->flags & cri_witness_not_inline)) {
    return cri_visit_value(walk, type, bytes, 3 * sizeof(void *));
  }
  size_t mask = witnesses->flags & cri_witness_alignment;
  if (words[0] != 0) cri_visit_heap_value(walk, type, words[0] + ((16 + mask) & ~mask));
}

CRI_UNCHECKED void cri_visit_existential(struct cri_walk *walk, const struct cri_metadata *type,
                                         const unsigned char *bytes, size_t available) {
  uint32_t flags = ((const struct cri_existential *)type)->flags;
  uintptr_t word = 0;
  if (available >= sizeof word) memcpy(&word, bytes, sizeof word);
  // An object, or an error in a box of its own.
  if (!(flags & any_value) || flags & special_protocol) return cri_found(walk, word, 0);
  if (available >= 4 * sizeof(void *)) visit_opaque(walk, bytes);
}

#endif
