// The layouts of the runtime's metadata that a walk of the heap reads, for Swift 5 and later with
// 64-bit words and without Objective-C. Swift's ABI (swift/ABI/Metadata.h) fixes most of them. The
// layouts of closure contexts and boxes (`cri_context`, `cri_captures`, `cri_box`) are private to
// the compiler and the runtime. docs/layouts.md has all private layouts and what guards each.

#ifndef CRI_LAYOUTS_H
#define CRI_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Removes a sanitizer's checks from code that runs in the child: another thread may have held the
/// sanitizer's lock when the parent forked.
#define CRI_UNCHECKED __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined")))

/// The kind of a metadata, which is its first word.
enum cri_metadata_kind {
  CRI_KIND_CLASS = 0,
  CRI_KIND_STRUCT = 0x200,
  CRI_KIND_ENUM = 0x201,
  CRI_KIND_OPTIONAL = 0x202,
  CRI_KIND_OPAQUE = 0x300,
  CRI_KIND_TUPLE = 0x301,
  CRI_KIND_FUNCTION = 0x302,
  CRI_KIND_EXISTENTIAL = 0x303,
  CRI_KIND_METATYPE = 0x304,
  CRI_KIND_EXTENDED_EXISTENTIAL = 0x307,
  CRI_KIND_FIXED_ARRAY = 0x308,
  CRI_KIND_CONTEXT = 0x400,
  CRI_KIND_BOX = 0x500,
  CRI_KIND_ERROR = 0x501,
  CRI_KIND_TASK = 0x502,
};

enum cri_descriptor_kind {
  CRI_DESCRIPTOR_MODULE = 0,
  CRI_DESCRIPTOR_EXTENSION = 1,
  CRI_DESCRIPTOR_ANONYMOUS = 2,
  CRI_DESCRIPTOR_CLASS = 16,
  CRI_DESCRIPTOR_STRUCT = 17,
  CRI_DESCRIPTOR_ENUM = 18,
};

struct cri_metadata {
  uintptr_t kind;
  const struct cri_descriptor *descriptor;  // of a struct or an enum
};

struct cri_class {
  uintptr_t kind;
  const struct cri_class *superclass;
  uint32_t flags, address_point, instance_size;
  uint16_t alignment_mask, reserved;
  uint32_t class_size, class_address_point;
  const struct cri_descriptor *descriptor;
};

struct cri_tuple {
  uintptr_t kind, count;
  const char *labels;
  struct {
    const struct cri_metadata *type;
    uint32_t offset, unused;
  } elements[];
};

struct cri_existential {
  uintptr_t kind;
  uint32_t flags, protocol_count;
};

/// The metadata of an existential with constrained associated types, such as `any Sequence<Int>`.
struct cri_extended_existential {
  uintptr_t kind;
  /// The flags of its shape, which are the shape's first member.
  const uint32_t *shape_flags;
};

/// The bits of a shape's flags that are the layout, and their values.
static const uint32_t cri_shape_layout = 0xff;
enum { CRI_LAYOUT_OPAQUE = 0, CRI_LAYOUT_OBJECT = 1, CRI_LAYOUT_METATYPE = 2 };

struct cri_function {
  uintptr_t kind, flags;
};

struct cri_fixed_array {
  uintptr_t kind, count;
  const struct cri_metadata *element;
};

/// The metadata of a closure's context, and of the box of a captured variable whose type is not
/// generic.
struct cri_context {
  uintptr_t kind;
  uint32_t first_offset;
  const struct cri_captures *captures;
};

struct cri_captures {
  uint32_t count, source_count, binding_count;
  int32_t types[];
};

/// The metadata of a box with the type of its content.
struct cri_box {
  uintptr_t kind;
  uint32_t offset;
  const struct cri_metadata *type;
};

struct cri_descriptor {
  uint32_t flags;
  int32_t parent, name, accessor, fields;
  union {
    struct {
      int32_t superclass;
      uint32_t negative_words_or_bounds, positive_words, immediate_count, field_count, vector;
    } class_;
    struct {
      uint32_t field_count, vector;
    } struct_;
    struct {
      uint32_t payloads, empties;
    } enum_;
  };
};

/// The flags of a class's descriptor.
enum cri_class_flag {
  CRI_CLASS_HAS_NEGATIVE_MEMBERS = 1 << (16 + 12),
  CRI_CLASS_HAS_RESILIENT_SUPERCLASS = 1 << (16 + 13),
};

/// Offsets in a descriptor: of the fields, of the size of a class's metadata, and of the ends of
/// the descriptors. In a generic type, two relative addresses and the numbers of its parameters
/// follow the end.
enum cri_descriptor_place {
  CRI_PLACE_OF_FIELDS = offsetof(struct cri_descriptor, fields),
  CRI_PLACE_OF_BOUNDS = offsetof(struct cri_descriptor, class_.negative_words_or_bounds),
  CRI_END_OF_CLASS = offsetof(struct cri_descriptor, class_.vector) + sizeof(uint32_t),
  CRI_END_OF_VALUE = offsetof(struct cri_descriptor, struct_.vector) + sizeof(uint32_t),
};

struct cri_field {
  uint32_t flags;
  int32_t type, name;
};

struct cri_fields {
  int32_t type, superclass;
  uint16_t kind, record_size;
  uint32_t count;
  struct cri_field records[];
};

struct cri_witnesses {
  void *common[8];
  size_t size, stride;
  uint32_t flags, extra_inhabitants;
  uint32_t (*tag)(const void *value, const struct cri_metadata *type);
  void (*project)(void *value, const struct cri_metadata *type);
};

static const uint32_t cri_witness_alignment = 0xff;
static const uint32_t cri_witness_not_trivial = 0x10000;
static const uint32_t cri_witness_not_inline = 0x20000;
static const uint32_t cri_witness_enum = 0x200000;

static inline const void *cri_relative(const int32_t *field) {
  return *field == 0 ? NULL : (const char *)field + *field;
}

/// Returns the target of a relative address. If the lowest bit of the address is set, the address
/// leads to a pointer to the target.
CRI_UNCHECKED static inline const void *cri_indirectable(const int32_t *field) {
  if (*field == 0) return NULL;
  const void *target = (const char *)field + (*field & ~1);
  return *field & 1 ? *(const void *const *)target : target;
}

static inline const struct cri_witnesses *cri_witnesses(const struct cri_metadata *type) {
  return ((const struct cri_witnesses *const *)type)[-1];
}

/// Returns whether values of a type may hold references. The type of a block has no witnesses; a
/// block is C memory.
CRI_UNCHECKED static inline bool cri_holds_references(const struct cri_metadata *type) {
  const struct cri_witnesses *witnesses = cri_witnesses(type);
  return witnesses != NULL && witnesses->flags & cri_witness_not_trivial;
}

static inline enum cri_descriptor_kind cri_descriptor_kind(const struct cri_descriptor *it) {
  return (enum cri_descriptor_kind)(it->flags & 0x1f);
}

#endif
