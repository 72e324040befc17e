#include <CShims.h>

#if defined(__linux__)
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);

// Called as a Swift function is: with a pointer, and no more than a bit to return, both conventions are the
// same on the processors that we know.
bool cws_is_small(const void *object);

void cws_unowned_release(void *object) { swift_unownedRelease(object); }

// The head of a class's metadata where there is no Objective-C.
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

// Instances of more bytes are not held: the memory of a dead one would be missed.
enum { LARGEST_SMALL_INSTANCE = 1024 };

bool cws_is_small(const void *object) {
  return instance_size(object) <= LARGEST_SMALL_INSTANCE;
}

uintptr_t cws_unowned_retain_small(uintptr_t address) {
  void *object = (void *)address;
  return cws_is_small(object) ? (uintptr_t)swift_unownedRetain(object) : 0;
}
#else
// A translation unit may not be empty.
typedef int cws_unowned_counts;
#endif
