// Tells the runtime where the metadata of this program is, as the toolchain's swiftrt.o does.
// Debian has that file for arm64 only in a package of 500 MB.

#include <stddef.h>

// In the order of the runtime's structure. `R` keeps a section that is empty in this program.
#define SECTIONS(do)                                                                              \
  do(protocols) do(protocol_conformances) do(type_metadata) do(typeref) do(reflstr) do(fieldmd)   \
  do(assocty) do(replace) do(replac2) do(builtin) do(capture) do(mpenum) do(accessible_functions) \
  do(runtime_attributes) do(tests)

#define DECLARE(name)                                                 \
  __asm__(".section swift5_" #name ",\"aR\"");                        \
  extern const char __start_swift5_##name[], __stop_swift5_##name[];
SECTIONS(DECLARE)
__asm__(".text");

struct range {
  const char *start;
  size_t length;
};

#define RANGE(name) struct range name;
static struct {
  size_t version;
  const void *base;
  void *unused[2];
  SECTIONS(RANGE)
} sections;

extern const char __ehdr_start[] __attribute__((weak));
void swift_addNewDSOImage(const void *sections);

__attribute__((constructor)) static void register_image(void) {
  sections.version = 5;
  sections.base = __ehdr_start;
#define SET(name) \
  sections.name = (struct range){__start_swift5_##name, (size_t)(__stop_swift5_##name - __start_swift5_##name)};
  SECTIONS(SET)
  swift_addNewDSOImage(&sections);
}
