#define _GNU_SOURCE
#include <CLeakTesting.h>
#include <dlfcn.h>
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

// On every platform on which `LeakTesting` calls this function, a frame begins with the saved frame
// pointer and the return address. The runtime subtracts 1 from a return address to find the call,
// so 1 is added here.
__attribute__((noinline)) void clt_call_from(uintptr_t address, void (*body)(void *),
                                             void *context) {
  void *volatile *frame = __builtin_frame_address(0);
  void *caller = frame[1];
  frame[1] = (void *)(address + 1);
  body(context);
  frame[1] = caller;
}

uintptr_t clt_image(const void *address, const char **path) {
  Dl_info image;
  if (dladdr(address, &image) == 0) return 0;
  *path = image.dli_fname;
  return (uintptr_t)image.dli_fbase;
}
