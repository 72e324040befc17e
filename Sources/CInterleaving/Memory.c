#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <CInterleaving.h>

#if defined(__linux__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <malloc.h>
#else
#include <malloc/malloc.h>
#endif

#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif

static void *map(size_t byte_count, int flags) {
  void *memory = mmap(
      NULL, byte_count, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void *cil_stack_create(size_t byte_count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  byte_count = (byte_count + page - 1) / page * page;
  char *memory = map(page + byte_count, MAP_PRIVATE);
  if (!memory || mprotect(memory, page, PROT_NONE) != 0) return NULL;
  return memory + page + byte_count;
}

void *cil_shared_create(size_t byte_count) { return map(byte_count, MAP_SHARED); }

void *cil_private_create(size_t byte_count) { return map(byte_count, MAP_PRIVATE); }

size_t cil_allocated_size(const void *address) {
#if defined(__linux__)
  return malloc_usable_size((void *)address);
#else
  return malloc_size(address);
#endif
}

#else
void *cil_stack_create(size_t byte_count) { return NULL; }
void *cil_shared_create(size_t byte_count) { return NULL; }
void *cil_private_create(size_t byte_count) { return NULL; }
size_t cil_allocated_size(const void *address) { return 0; }
#endif
