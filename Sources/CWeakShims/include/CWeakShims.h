// What Swift cannot say itself: thread-local slots, a thread-exit hook, futex, spin hint,
// sanitizer annotations, and the one look into type metadata that a weak reference needs.

#ifndef CWEAKSHIMS_H
#define CWEAKSHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWeakShims+Scheduling.h"

// MARK: Thread-local slots

/// How many slots there are; Swift's `ThreadSlot` names them.
#define CWS_SLOT_COUNT 2

extern _Thread_local void *cws_slots[CWS_SLOT_COUNT];

static inline void *cws_slot_get(long index) { return cws_slots[index]; }
static inline void cws_slot_set(long index, void *value) { cws_slots[index] = value; }

/// How often an atomic exchange of this thread failed because another thread was faster.
extern _Thread_local long cws_failed_exchanges;

static inline long cws_failed_exchanges_get(void) { return cws_failed_exchanges; }
static inline void cws_failed_exchange_note(void) { cws_failed_exchanges++; }

/// What a thread of the system has of its own; a scheduler of virtual threads gives it to each of them.
typedef struct {
  void *slots[CWS_SLOT_COUNT];
  long failed_exchanges;
} cws_thread_locals;

static inline void cws_thread_locals_save(cws_thread_locals *locals) {
  for (int i = 0; i < CWS_SLOT_COUNT; i++) locals->slots[i] = cws_slots[i];
  locals->failed_exchanges = cws_failed_exchanges;
}
static inline void cws_thread_locals_restore(const cws_thread_locals *locals) {
  for (int i = 0; i < CWS_SLOT_COUNT; i++) cws_slots[i] = locals->slots[i];
  cws_failed_exchanges = locals->failed_exchanges;
}

/// Has `handler(value)` called when the calling thread ends. A later call on the same thread replaces
/// the value; a call made while the thread is ending has the handler called once more.
void cws_at_thread_exit(void (*handler)(void *), void *value);

/// The kernel's number of the calling thread, as debuggers and procfs show it.
uint64_t cws_thread_number(void);

// MARK: Waiting

/// Sleeps while `*word == expected`; may return early for no reason.
void cws_futex_wait(const uint32_t *word, uint32_t expected);
void cws_futex_wake_all(const uint32_t *word);

static inline void cws_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

// MARK: The optimizer

/// Makes the compiler keep the computation of `value`; costs nothing at run time.
static inline void cws_consume(long value) { __asm__ volatile("" : : "r"(value)); }

// MARK: Sanitizers

// Swift has no condition for a sanitizer and its importer does not define one for C headers, so the
// annotation is a weak symbol: absent, it costs one comparison.
#if defined(__linux__)
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/// Tells ThreadSanitizer that what the last `cws_tsan_release` on `address` saw is now visible here.
static inline void cws_tsan_acquire(const void *address) {
  if (__tsan_acquire) __tsan_acquire((void *)address);
}
static inline void cws_tsan_release(const void *address) {
  if (__tsan_release) __tsan_release((void *)address);
}
/// Whether the process runs under ThreadSanitizer.
static inline bool cws_under_tsan(void) { return __tsan_acquire != 0; }

extern void __asan_init(void) __attribute__((weak));
/// Whether the process runs under AddressSanitizer.
static inline bool cws_under_asan(void) { return __asan_init != 0; }
#else
static inline void cws_tsan_acquire(const void *address) { (void)address; }
static inline void cws_tsan_release(const void *address) { (void)address; }
static inline bool cws_under_tsan(void) { return false; }
static inline bool cws_under_asan(void) { return false; }
#endif

// MARK: Cores

/// The machine's cores; -1 where that cannot be asked.
long cws_online_cores(void);

/// The cores that this process may run on; -1 where that cannot be asked. Called once: not reentrant.
long cws_affinity_cores(void);

/// Reads the first line that begins with `prefix`, without its end, into `line`; false if there is none.
bool cws_read_line(const char *path, const char *prefix, char *line, long capacity);

// MARK: Printing

/// Writes `line` and its end to standard error.
void cws_print_error(const char *line);

// MARK: Type metadata

/// Whether `metadata`, a Swift type's metadata pointer, is that of a class-bound existential: one object
/// reference followed by witness tables.
///
/// Reads the ABI-stable head of existential metadata (kinds 0x303 and 0x307).
bool cws_is_class_bound_existential(const void *metadata);

#endif
