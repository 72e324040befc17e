#pragma once

#include <jemalloc/jemalloc.h>
#include <stdint.h>

// jemalloc 5.3 calls these for every allocation of the process, whichever thread makes it. The types
// are in no public header; `AllocatorProbe` checks at its first use that they do what is said here.

typedef void (*cj_alloc_hook)(
    void *extra, int type, void *result, uintptr_t result_raw, uintptr_t args_raw[3]);
typedef void (*cj_dalloc_hook)(void *extra, int type, void *address, uintptr_t args_raw[4]);
typedef void (*cj_expand_hook)(
    void *extra, int type, void *address, size_t old_usize, size_t new_usize, uintptr_t result_raw,
    uintptr_t args_raw[4]);

typedef struct {
  cj_alloc_hook alloc;
  cj_dalloc_hook dalloc;
  cj_expand_hook expand;
  void *extra;
} cj_hooks;
