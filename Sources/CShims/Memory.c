#include <stdint.h>
#include <stdlib.h>

#include "CShims.h"

enum { CACHE_LINE = 64 };

// calloc alone gives pages that the system has cleared without clearing them again, but not aligned: the
// word before the result says what it gave.
void *cws_allocate_zeroed(long byte_count) {
  char *memory = calloc(1, (size_t)byte_count + CACHE_LINE + sizeof(void *));
  if (!memory) return 0;
  uintptr_t begin = (uintptr_t)memory + sizeof(void *);
  void **result = (void **)((begin + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
  result[-1] = memory;
  return result;
}

void cws_free_zeroed(void *memory) { free(((void **)memory)[-1]); }
