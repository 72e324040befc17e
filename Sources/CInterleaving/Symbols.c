// Names of functions, also of those that are not exported: on Linux `dladdr` knows only the
// exported ones, so the symbol table of the file is read.

#define _GNU_SOURCE
#include <CInterleaving+Jobs.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && __LP64__
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// Returns the function that contains the address at `offset` in the file; null if none does. The
/// name is in the file.
static const char *symbol(const unsigned char *file, size_t size, uint64_t offset) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_ident[EI_CLASS] != ELFCLASS64
      || header->e_shoff + (uint64_t)header->e_shnum * sizeof(Elf64_Shdr) > size) {
    return NULL;
  }
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  for (uint16_t index = 0; index < header->e_shnum; index++) {
    const Elf64_Shdr *table = sections + index;
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum
        || table->sh_offset + table->sh_size > size) {
      continue;
    }
    const Elf64_Shdr *names = sections + table->sh_link;
    if (names->sh_offset + names->sh_size > size) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
    for (size_t number = 0; number < table->sh_size / sizeof *symbols; number++) {
      const Elf64_Sym *found = symbols + number;
      if (ELF64_ST_TYPE(found->st_info) == STT_FUNC && found->st_value <= offset
          && offset - found->st_value < found->st_size && found->st_name < names->sh_size) {
        return (const char *)file + names->sh_offset + found->st_name;
      }
    }
  }
  return NULL;
}

/// Returns a copy of the name of the function at `address`, to be freed; null if it is not known.
static char *mangled_name(const void *address, const Dl_info *image) {
  if (image->dli_sname) return strdup(image->dli_sname);
  int descriptor = open(image->dli_fname, O_RDONLY | O_CLOEXEC);
  // The path of the program itself may be relative to an earlier folder.
  if (descriptor < 0) descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0) return NULL;
  char *name = NULL;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    size_t size = (size_t)status.st_size;
    void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file != MAP_FAILED) {
      uint64_t offset = (uint64_t)((const char *)address - (const char *)image->dli_fbase);
      const char *found = symbol(file, size, offset);
      if (found) name = strdup(found);
      munmap(file, size);
    }
  }
  close(descriptor);
  return name;
}

#else

static char *mangled_name(const void *address, const Dl_info *image) {
  (void)address;
  return image->dli_sname ? strdup(image->dli_sname) : NULL;
}

#endif

bool cil_function_name(const void *address, char *name, long capacity) {
  typedef char *(*demangle_function)(
      const char *name, size_t length, char *buffer, size_t *buffer_length, uint32_t flags);
  Dl_info image, runtime;
  if (!address || !dladdr(address, &image)) return false;
  void *own = dlsym(RTLD_DEFAULT, "swift_job_run");
  if (own && dladdr(own, &runtime) && runtime.dli_fbase == image.dli_fbase) return false;
  char *mangled = mangled_name(address, &image);
  if (!mangled) return false;
  demangle_function demangle = (demangle_function)dlsym(RTLD_DEFAULT, "swift_demangle");
  char *text = demangle ? demangle(mangled, strlen(mangled), NULL, NULL, 0) : NULL;
  strncpy(name, text ? text : mangled, (size_t)capacity);
  name[capacity] = 0;
  free(text);
  free(mangled);
  return true;
}
