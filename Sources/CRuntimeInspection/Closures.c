#define _GNU_SOURCE
#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

#include <malloc.h>

// How much of a context is looked at from where a capture's type is not known.
static const size_t unknown_tail = 128;
// Of a block where the allocator is a sanitizer's, which takes the question amiss if there is no such block.
static const size_t unknown_size = 1024;

static bool knows_sizes(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;
#else
  return true;
#endif
}

size_t cri_block_size(uintptr_t address, size_t most) {
  if (!knows_sizes()) return most < unknown_size ? most : unknown_size;
  size_t size = malloc_usable_size((void *)address);
  return size < most ? size : most;
}

static CRI_UNCHECKED void scan_tail(struct cri_walk *walk, uintptr_t context, size_t offset) {
  size_t size = cri_block_size(context, offset + unknown_tail);
  if (size <= offset) return;
  unsigned char *bytes = cri_scratch(walk, size - offset);
  if (bytes != NULL && cri_read(walk, context + offset, bytes, size - offset)) {
    cri_scan_words(walk, bytes, size - offset);
  }
}

static CRI_UNCHECKED void visit_captures(struct cri_walk *walk, uintptr_t context,
                                         const struct cri_context *metadata) {
  const struct cri_captures *captures = metadata->captures;
  size_t offset = metadata->first_offset;
  if (captures == NULL || offset < 16 || offset > 4096) return scan_tail(walk, context, 16);
  offset += captures->binding_count * sizeof(void *);
  for (uint32_t i = 0; i < captures->count; i++) {
    const char *name = cri_relative(&captures->types[i]);
    struct cri_stored stored = {.reference = CRI_UNKNOWN};
    if (name != NULL) stored = cri_stored(name, NULL, NULL);
    // What comes after it is at a place unknown as well.
    if (stored.reference == CRI_UNKNOWN) return scan_tail(walk, context, offset);
    size_t used = walk->scratch_used;
    offset = (offset + stored.alignment - 1) & ~(stored.alignment - 1);
    unsigned char *bytes = cri_scratch(walk, stored.size);
    if (bytes != NULL && cri_read(walk, context + offset, bytes, stored.size)) {
      cri_visit_stored(walk, &stored, bytes, stored.size);
    }
    walk->scratch_used = used;
    offset += stored.size;
  }
}

static CRI_UNCHECKED void visit_error(struct cri_walk *walk, uintptr_t error) {
  uintptr_t type = cri_read_word(walk, error + 16);
  if (!cri_is_value_type(walk, type)) return;
  const struct cri_metadata *metadata = (const struct cri_metadata *)type;
  size_t mask = cri_witnesses(metadata)->flags & cri_witness_alignment;
  cri_visit_heap_value(walk, metadata, error + ((32 + mask) & ~mask));
}

CRI_UNCHECKED void cri_visit_context(struct cri_walk *walk, const struct cri_node *node) {
  const struct cri_metadata *metadata = node->metadata;
  if (node->kind == CRI_NODE_ERROR) return visit_error(walk, node->address);
  cri_push_label(walk, node->kind == CRI_NODE_VARIABLE ? "value" : "capture", "");
  if (metadata->kind == CRI_KIND_CONTEXT) {
    return visit_captures(walk, node->address, (const struct cri_context *)metadata);
  }
  const struct cri_box *box = (const struct cri_box *)metadata;
  if (box->type == NULL || !cri_is_value_type(walk, (uintptr_t)box->type)) return;
  cri_visit_heap_value(walk, box->type, node->address + box->offset);
}

#endif
