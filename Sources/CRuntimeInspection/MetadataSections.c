#include <CMetadataSections.h>
#include <string.h>

#include "Metadata.h"

struct search {
  const char *modules;
  const void **descriptors;
  size_t capacity, count;
};

/// Whether C has made a class, as Core Foundation's, which Swift knows of: it has no class's metadata.
static bool is_foreign(const struct cri_descriptor *class) { return (class->flags >> 16 & 3) == 2; }

static bool is_wanted(const struct cri_descriptor *type, const struct search *search) {
  if (cri_descriptor_kind(type) != CRI_DESCRIPTOR_CLASS || is_foreign(type)) return false;
  const char *name = cri_module_name(type);
  for (const char *module = search->modules; *module != 0; module += strlen(module) + 1) {
    if (name != NULL && strcmp(name, module) == 0) return true;
  }
  return false;
}

/// Goes through a section: an offset for each type, with what it leads to in its low bits.
static void search_section(struct search *search, const int32_t *records, size_t size) {
  for (const int32_t *record = records; record < records + size / sizeof *record; record++) {
    // Others than a descriptor or a pointer to one are no types of Swift.
    if (*record == 0 || (*record & 2)) continue;
    const struct cri_descriptor *type = cri_indirectable(record);
    if (type == NULL || !is_wanted(type, search)) continue;
    if (search->count < search->capacity) search->descriptors[search->count] = type;
    search->count++;
  }
}

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

static bool search_images(struct search *search) {
  for (uint32_t index = 0; index < _dyld_image_count(); index++) {
    const struct mach_header_64 *image = (const struct mach_header_64 *)_dyld_get_image_header(index);
    unsigned long size = 0;
    const void *records = image ? getsectiondata(image, "__TEXT", "__swift5_types", &size) : NULL;
    if (records != NULL) search_section(search, records, size);
  }
  return true;
}
#else

struct section {
  const void *start;
  size_t size;
};

/// The head of what an image tells the runtime of itself. The name that the runtime has for it is taken.
struct image_sections {
  size_t version;
  const void *base, *unused[2];
  struct section protocols, conformances, types;
};

// Weak: a runtime without it links as well.
__attribute__((weak)) extern void swift_enumerateAllMetadataSections(
    bool (*visit)(const struct image_sections *image, void *context), void *context);

static bool search_image(const struct image_sections *image, void *search) {
  search_section(search, image->types.start, image->types.size);
  return true;
}

static bool search_images(struct search *search) {
  if (!swift_enumerateAllMetadataSections) return false;
  swift_enumerateAllMetadataSections(search_image, search);
  return true;
}
#endif

ptrdiff_t cri_class_descriptors(const char *modules, const void **descriptors, size_t capacity) {
  struct search search = {modules, descriptors, capacity, 0};
  return search_images(&search) ? (ptrdiff_t)search.count : -1;
}
