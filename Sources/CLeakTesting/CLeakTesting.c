#include <CLeakTesting.h>
#include <stddef.h>

__attribute__((constructor)) static void install(void) { leak_testing_install(); }

// The runtime functions behind the standard library's Mirror. Weak, so that the program also links
// with a runtime that lacks them.

#ifdef __APPLE__
#define OPTIONAL __attribute__((weak_import))
#else
#define OPTIONAL __attribute__((weak))
#endif

struct field {
  const char *name;
  void (*free_name)(const char *);
  bool is_strong;
  bool is_variable;
};

OPTIONAL __attribute__((swiftcall)) extern intptr_t
swift_reflectionMirror_recursiveCount(const void *type);
OPTIONAL __attribute__((swiftcall)) extern const void *
swift_reflectionMirror_recursiveChildMetadata(const void *type, intptr_t index,
                                              struct field *field);

intptr_t clt_field_count(const void *type) {
  if (!swift_reflectionMirror_recursiveCount || !swift_reflectionMirror_recursiveChildMetadata) {
    return -1;
  }
  return swift_reflectionMirror_recursiveCount(type);
}

bool clt_field_is_strong(const void *type, intptr_t index) {
  struct field field = {NULL, NULL, true, true};
  swift_reflectionMirror_recursiveChildMetadata(type, index, &field);
  if (field.free_name) field.free_name(field.name);
  return field.is_strong;
}
