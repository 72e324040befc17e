#include <CShims.h>

// Swift's ABI, "Type Metadata": every metadata starts with a kind word.
enum { KIND_EXISTENTIAL = 0x303, KIND_EXTENDED_EXISTENTIAL = 0x307 };

// Existential metadata: kind, then 32 flag bits, the highest of them 0 for a class-bound protocol
// and 1 for one that any type may conform to.
struct existential {
  uintptr_t kind;
  uint32_t flags;
};

// Constrained existentials (`any P<Int>`): kind, then the type's shape. The lowest byte of the
// shape's flags is its representation, 1 for class-bound.
struct shape {
  uint32_t flags;
};
struct extended_existential {
  uintptr_t kind;
  const struct shape *shape;
};

bool cws_is_class_bound_existential(const void *metadata) {
  uintptr_t kind = *(const uintptr_t *)metadata;
  if (kind == KIND_EXISTENTIAL) {
    return (((const struct existential *)metadata)->flags & 0x80000000u) == 0;
  }
#if !defined(__arm64e__)  // There the shape pointer is signed; such types are then not accepted.
  if (kind == KIND_EXTENDED_EXISTENTIAL) {
    return (((const struct extended_existential *)metadata)->shape->flags & 0xffu) == 1;
  }
#endif
  return false;
}
