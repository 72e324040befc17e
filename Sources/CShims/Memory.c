// Zeroed memory aligned to cache lines, and what the runtime stores in objects and type metadata.

#include <CShims.h>
#include <stdlib.h>

// MARK: Zeroed memory

enum { CACHE_LINE = 64 };

// `calloc` does not clear pages that the system has just cleared, but it does not align its result
// either. The word before the aligned result stores the address that `calloc` returned.
void *cws_allocate_zeroed(long byte_count) {
  char *memory = calloc(1, (size_t)byte_count + CACHE_LINE + sizeof(void *));
  if (!memory) return 0;
  uintptr_t begin = (uintptr_t)memory + sizeof(void *);
  void **result = (void **)((begin + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
  result[-1] = memory;
  return result;
}

void cws_free_zeroed(void *memory) { free(((void **)memory)[-1]); }

// MARK: Unowned counts

#if defined(__linux__)
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);

// Called as a Swift function. The C and Swift calling conventions agree on every supported
// processor for a function that takes one pointer and returns one bit.
bool cws_is_small(const void *object);

void cws_unowned_release(void *object) { swift_unownedRelease(object); }

// The beginning of a class's metadata in a runtime without Objective-C.
struct class_metadata {
  uintptr_t kind;
  const void *superclass;
  uint32_t flags;
  uint32_t instance_address_point;
  uint32_t instance_size;
};

static uint32_t instance_size(const void *object) {
  return (*(const struct class_metadata *const *)object)->instance_size;
}

long cws_unowned_retain(void *object) {
  return instance_size(swift_unownedRetain(object));
}

// Larger instances are not held: dead ones would keep too much memory allocated.
enum { LARGEST_SMALL_INSTANCE = 1024 };

bool cws_is_small(const void *object) {
  return instance_size(object) <= LARGEST_SMALL_INSTANCE;
}

uintptr_t cws_unowned_retain_small(uintptr_t address) {
  void *object = (void *)address;
  return cws_is_small(object) ? (uintptr_t)swift_unownedRetain(object) : 0;
}
#endif

// MARK: Type metadata

// Swift's ABI, "Type Metadata": every metadata starts with a kind word.
enum { KIND_EXISTENTIAL = 0x303, KIND_EXTENDED_EXISTENTIAL = 0x307 };

// Existential metadata: kind, then 32 flag bits. The highest bit is 0 for a class-bound protocol
// and 1 for a protocol that any type may conform to.
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
#if !defined(__arm64e__)  // arm64e signs the shape pointer; such types are rejected.
  if (kind == KIND_EXTENDED_EXISTENTIAL) {
    return (((const struct extended_existential *)metadata)->shape->flags & 0xffu) == 1;
  }
#endif
  return false;
}
