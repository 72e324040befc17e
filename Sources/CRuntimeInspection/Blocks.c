// The blocks of glibc's allocator, in memory that does not change during the walk.
//
// A heap is a chain of chunks. A chunk begins with two words; the second word is the chunk's size
// with three flags in its low bits. The block, which the chunk's owner uses, begins after these two
// words and includes the first word of the next chunk. The chain ends at the end of the heap, with
// the unused top chunk or with a fence of very small chunks. There are three kinds of memory:
//
// 1. The main heap, which the system names "[heap]", is one chain.
// 2. An arena consists of heaps at multiples of 64 MiB, each with a header. The offset of the first
//    chunk differs between versions of glibc, so the walk uses the first offset from which a chain
//    is valid.
// 3. A large block has pages of its own, and a chunk with the flag for such blocks.
//
// A chunk is free if a flag of the next chunk says so, or if it is in a thread's cache or in a fast
// bin. The caches and fast bins leave the flags unchanged. They store the address of the next free
// block in the first word, combined by XOR with the upper bits of that word's own address (glibc
// 2.32 and later).

#define _GNU_SOURCE
#include "HeapLayers.h"

#if CRI_CAN_SEARCH

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { in_use_before = 1, has_own_pages = 2, all_flags = 7 };

static const size_t header = 16, alignment = 16, least_chunk = 32;
static const uintptr_t arena_alignment = 64 << 20;
/// The size of the smallest block with pages of its own that the walk recognizes. The allocator's
/// threshold is 128 KiB by default; a program may lower it.
static const size_t least_with_own_pages = 64 << 10;
/// The number of valid chunks after which a chain counts as valid.
static const size_t chunks_to_try = 64;
static const size_t most_mappings = 1 << 18;
/// The size of the largest mapping to walk through; a sanitizer's shadow memory is larger.
static const uintptr_t most_mapped_bytes = (uintptr_t)64 << 30;
static const size_t window_bytes = 64 << 10, pages_at_once = 512;

// MARK: Reading

const uintptr_t *cri_load(struct cri_blocks *it, uintptr_t address, size_t size) {
  if (address < it->window_start || address + size > it->window_end) {
    it->window_start = it->window_end = address;
    if (address >= it->region_end || it->region_end - address < size) return NULL;
    if (cri_now() > it->deadline) return it->is_late = true, NULL;
    size_t left = it->region_end - address, wanted = left < window_bytes ? left : window_bytes;
    if (!cri_read_process(it->process, address, it->window, wanted)) return NULL;
    it->window_end = address + wanted;
  }
  return (const uintptr_t *)(it->window + (address - it->window_start));
}

const struct cri_mapping *cri_mapping_of(const struct cri_blocks *it, uintptr_t address) {
  size_t low = 0, high = it->mapping_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (it->mappings[middle].end <= address) low = middle + 1;
    else high = middle;
  }
  bool is_inside = low < it->mapping_count && it->mappings[low].start <= address;
  return is_inside ? &it->mappings[low] : NULL;
}

// MARK: One block

/// Returns whether a block that its flags show as in use is in a list of free blocks.
static bool is_in_a_free_list(const struct cri_blocks *it, const struct cri_block *block) {
  uintptr_t next = block->words[0] ^ block->address >> 12;
  if (next == 0) return true;
  const struct cri_mapping *mapping = next % alignment == 0 ? cri_mapping_of(it, next) : NULL;
  return mapping != NULL && mapping->is_writable && !mapping->is_a_file;
}

static void visit_block(struct cri_blocks *it, const struct cri_block *block) {
  if (it->visit(block, it->context)) return;
  if (is_in_a_free_list(it, block)) {
    it->free_bytes += block->size;
  } else {
    it->other_count++;
    it->other_bytes += block->size;
    if (it->visit_other != NULL) it->visit_other(block, it->context);
  }
}

// MARK: A chain

/// Returns the size of the chunk at `at`; 0 if no valid chunk begins there.
static size_t chunk_size(uintptr_t head, uintptr_t at, uintptr_t end) {
  size_t size = head & ~(uintptr_t)all_flags;
  bool is_chunk = size >= least_chunk && size % alignment == 0 && size <= end - at;
  return is_chunk && !(head & has_own_pages) ? size : 0;
}

/// Follows the chunks from `at` to `end`, at most `most` of them, and visits their blocks if
/// `visits`. Returns the address at which the walk ends or the chain becomes invalid.
static uintptr_t follow(struct cri_blocks *it, uintptr_t at, uintptr_t end, size_t most,
                        bool visits) {
  for (; at < end && most > 0; most--) {
    if (end - at < least_chunk) return end;
    const uintptr_t *words = cri_load(it, at, least_chunk);
    if (words == NULL) return at;
    bool is_fence = (words[1] & ~(uintptr_t)all_flags) <= header && end - at <= 2 * least_chunk;
    if (is_fence) return end;
    size_t size = chunk_size(words[1], at, end);
    if (size == 0) return at;
    struct cri_block block = {
        .address = at + header, .size = size - sizeof(void *), .words = {words[2], words[3]}};
    at += size;
    bool is_top = at == end, is_free = is_top;
    if (!is_top) {
      words = cri_load(it, at, header);
      if (words == NULL) return at - size;
      is_free = !(words[1] & in_use_before);
    }
    if (!visits) continue;
    if (is_free) it->free_bytes += block.size;
    else visit_block(it, &block);
  }
  return at;
}

/// Visits the blocks of a chain; `start` is the start of the memory that it belongs to.
static void walk_chain(struct cri_blocks *it, uintptr_t start, uintptr_t first, uintptr_t end) {
  uintptr_t reached = follow(it, first, end, SIZE_MAX, true);
  it->held_bytes += end - start;
  if (reached < end) it->unread_bytes += end - reached;
}

// MARK: Arenas and blocks with their own pages

/// The header of each heap of an arena, glibc's `heap_info`.
struct arena_heap {
  uintptr_t arena, previous, size, writable;
};

/// Visits the blocks of an arena's heap; returns its end, or `at` if no such heap begins there.
static uintptr_t walk_arena_heap(struct cri_blocks *it, uintptr_t at) {
  const uintptr_t *words = cri_load(it, at, sizeof(struct arena_heap));
  if (words == NULL) return at;
  struct arena_heap heap;
  memcpy(&heap, words, sizeof heap);
  bool is_heap = heap.size > 0 && heap.size % it->page == 0 && heap.size <= heap.writable &&
                 heap.writable <= arena_alignment && heap.writable % it->page == 0 &&
                 heap.size <= it->region_end - at;
  bool is_first = heap.previous == 0 && heap.arena > at && heap.arena - at <= 256;
  bool is_later = heap.previous != 0 && heap.previous % arena_alignment == 0;
  if (!is_heap || !(is_first || is_later)) return at;
  // The state of an arena, in front of the first chain, takes more than a kilobyte.
  uintptr_t first = is_first ? heap.arena + 1024 : at + least_chunk;
  uintptr_t end = at + heap.size;
  for (; first < at + it->page; first += alignment) {
    uintptr_t reached = follow(it, first, end, chunks_to_try, false);
    bool is_valid = reached == end || follow(it, reached, end, 1, false) > reached;
    if (!is_valid) continue;
    walk_chain(it, at, first, end);
    return end;
  }
  // A thread was changing the heap when it stopped.
  it->held_bytes += heap.size;
  it->unread_bytes += heap.size;
  return end;
}

/// Visits a block with pages of its own; returns its end, or `at` if no such block begins there.
static uintptr_t walk_own_pages(struct cri_blocks *it, uintptr_t at) {
  uintptr_t words[4];
  if (!cri_read_process(it->process, at, words, sizeof words)) return at;
  size_t size = words[1] & ~(uintptr_t)all_flags;
  bool is_block = words[0] == 0 && (words[1] & all_flags) == has_own_pages && size % it->page == 0 &&
                  size >= least_with_own_pages && size <= it->region_end - at;
  if (!is_block) return at;
  const struct cri_block block = {
      .address = at + header, .size = size - header, .words = {words[2], words[3]}};
  it->held_bytes += size;
  visit_block(it, &block);
  return at + size;
}

/// Returns the first page from `at` on that is in memory or swapped out; `end` if there is none.
/// The walk skips the other pages, because a read would allocate them. Returns `at` if the page map
/// could not be opened.
static uintptr_t next_page(struct cri_blocks *it, uintptr_t at, uintptr_t end) {
  static const uint64_t is_present = 3ull << 62;
  for (; it->page_map >= 0 && at < end; at += it->page) {
    uintptr_t number = at / it->page;
    if (number < it->first_page || number >= it->first_page + pages_at_once) {
      if (cri_now() > it->deadline) return it->is_late = true, end;
      it->first_page = number;
      memset(it->pages, 0, pages_at_once * sizeof *it->pages);
      ssize_t got = pread(it->page_map, it->pages, pages_at_once * sizeof *it->pages,
                          (off_t)(number * sizeof *it->pages));
      if (got <= 0) return end;
    }
    if (it->pages[number - it->first_page] & is_present) break;
  }
  return at;
}

/// Returns the end of the walk's or the visitor's own memory that contains `at`; `at` if none does.
static uintptr_t end_of_own(const struct cri_blocks *it, uintptr_t at) {
  if (it->process != getpid()) return at;
  if (at >= it->own_start && at < it->own_end) return it->own_end;
  uintptr_t memory = (uintptr_t)it->mappings;
  return at >= memory && at < memory + it->memory_size ? memory + it->memory_size : at;
}

static void visit_outside(struct cri_blocks *it, uintptr_t at, bool is_global) {
  const uintptr_t *words = it->visit_outside ? cri_load(it, at, it->page) : NULL;
  if (words != NULL) it->visit_outside(words, it->page / sizeof *words, is_global, it->context);
}

/// Walks through memory that no file backs, except the main heap.
static void walk_region(struct cri_blocks *it, uintptr_t start, uintptr_t end, bool is_global) {
  it->region_end = end;
  for (uintptr_t at = start; at < end && !it->is_late;) {
    uintptr_t next = end_of_own(it, at);
    if (next == at && at % arena_alignment == 0) next = walk_arena_heap(it, at);
    if (next == at) next = walk_own_pages(it, at);
    if (next == at) {
      visit_outside(it, at, is_global);
      next = at + it->page;
    }
    at = next_page(it, next, end);
  }
}

/// Walks through the global variables of an image.
static void walk_variables(struct cri_blocks *it, const struct cri_mapping *mapping) {
  it->region_end = mapping->end;
  uintptr_t at = next_page(it, mapping->start, mapping->end);
  for (; at < mapping->end && !it->is_late; at = next_page(it, at + it->page, mapping->end)) {
    visit_outside(it, at, true);
  }
}

// MARK: All memory

static bool add_mapping(const struct cri_mapping *mapping, void *context) {
  struct cri_blocks *it = context;
  struct cri_mapping *last = it->mapping_count > 0 ? &it->mappings[it->mapping_count - 1] : NULL;
  // The system may list one region as several mappings, for example because their pages were first
  // used differently.
  bool is_anonymous = mapping->is_writable && !mapping->is_a_file;
  if (last != NULL && last->end == mapping->start && is_anonymous && last->is_writable &&
      !last->is_a_file && last->is_main_heap == mapping->is_main_heap) {
    last->end = mapping->end;
    return true;
  }
  if (it->mapping_count == most_mappings) return false;
  it->mappings[it->mapping_count++] = *mapping;
  return true;
}

bool cri_walk_blocks(struct cri_blocks *it) {
#ifndef __GLIBC__
  return false;
#endif
  it->page = (uintptr_t)sysconf(_SC_PAGESIZE);
  size_t mapping_bytes = most_mappings * sizeof *it->mappings;
  it->memory_size = mapping_bytes + window_bytes + pages_at_once * sizeof *it->pages;
  char *memory = cri_pages(it->memory_size);
  if (memory == NULL) return false;
  it->mappings = (struct cri_mapping *)memory;
  it->window = memory + mapping_bytes;
  it->pages = (uint64_t *)(it->window + window_bytes);
  bool is_listed = cri_each_mapping(it->process, add_mapping, it) && it->mapping_count > 0;
  it->page_map = cri_open_about(it->process, "pagemap");
  for (size_t i = 0; i < it->mapping_count && !it->is_late; i++) {
    const struct cri_mapping *mapping = &it->mappings[i];
    if (!mapping->is_writable) continue;
    bool is_walked = mapping->is_main_heap || mapping->end - mapping->start <= most_mapped_bytes;
    if (!is_walked) continue;
    it->region_end = mapping->end;
    // The mapping of the variables without an initial value follows that of the file.
    bool is_after_file = i > 0 && mapping[-1].is_a_file && mapping[-1].end == mapping->start;
    if (mapping->is_a_file) walk_variables(it, mapping);
    else if (!mapping->is_main_heap) walk_region(it, mapping->start, mapping->end, is_after_file);
    else walk_chain(it, mapping->start, mapping->start, mapping->end);
  }
  if (it->page_map >= 0) close(it->page_map);
  munmap(memory, it->memory_size);
  return is_listed;
}

#endif
