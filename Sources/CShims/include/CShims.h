// What Swift cannot express: thread-local slots, a hook at the end of a thread, futexes, a spin hint,
// sanitizer annotations, unowned reference counts, and reads of type metadata that weak references need.

#ifndef CWEAKSHIMS_H
#define CWEAKSHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CShims+Scheduling.h"

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

// MARK: Processes

/// How many forks lie between this process and the one that first called `cws_after_fork`.
extern uint64_t cws_forks;

static inline uint64_t cws_fork_count(void) { return cws_forks; }

/// Has `handler()` called in every child process, on the thread that forked: the only one there is.
/// Every caller passes the same handler.
void cws_after_fork(void (*handler)(void));

// MARK: Barriers

/// Makes `cws_process_barrier` possible; false where the system has none.
bool cws_process_barrier_prepare(void);

/// A full barrier on every thread of this process, each at some moment of the call; false if the system
/// refused.
bool cws_process_barrier(void);

/// Keeps the compiler from moving accesses to memory across; no instruction.
static inline void cws_compiler_barrier(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// MARK: Waiting

/// Sleeps while `*word == expected`; may return early for no reason.
void cws_futex_wait(const uint32_t *word, uint32_t expected);
void cws_futex_wake_one(const uint32_t *word);
void cws_futex_wake_all(const uint32_t *word);

static inline void cws_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

// MARK: Memory

/// `byte_count` zeros that begin on a cache line; null when there is no memory.
void *cws_allocate_zeroed(long byte_count);
void cws_free_zeroed(void *memory);

/// Asks for the cache line at `address`, which will be read.
static inline void cws_prefetch(const void *address) { __builtin_prefetch(address); }

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

extern void __lsan_do_leak_check(void) __attribute__((weak));
/// Whether LeakSanitizer, alone or with another, can look through the process's memory.
static inline bool cws_detects_leaks(void) { return __lsan_do_leak_check != 0; }

extern void __lsan_ignore_object(const void *object) __attribute__((weak));
/// Tells LeakSanitizer that `object` is not leaked, nor what it points to, though it find no pointer to it.
static inline void cws_not_leaked(const void *object) {
  if (__lsan_ignore_object) __lsan_ignore_object(object);
}
#else
static inline void cws_tsan_acquire(const void *address) { (void)address; }
static inline void cws_tsan_release(const void *address) { (void)address; }
static inline bool cws_under_tsan(void) { return false; }
static inline bool cws_under_asan(void) { return false; }
static inline bool cws_detects_leaks(void) { return false; }
static inline void cws_not_leaked(const void *object) { (void)object; }
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

/// Whether there is such a signal, and a program may handle it.
bool cws_can_catch_signal(int number);

#if defined(__APPLE__)
/// Has the process ignore a signal, other than whoever watches for it by a queue of the kernel.
void cws_ignore_signal(int number);
#endif

// MARK: Files

/// Opens a file for appending, and makes it if it is missing; returns its descriptor, or minus the `errno`.
int cws_open_appending(const char *path);

void cws_close(int descriptor);

/// One `write`, and more only for what that leaves; 0, or the `errno`, and how many bytes were written until
/// then. Nobody reading is `EPIPE` and no signal.
int cws_write_all(int descriptor, const void *bytes, long count, long *written);

/// Writes a file beside `path` and gives it that name when it is whole; 0, or the `errno`.
int cws_replace_file(const char *path, const void *bytes, long count);

/// All that a file holds, for `cws_free`; 0, or the `errno`, and then nothing is to be freed.
int cws_read_file(const char *path, char **bytes, long *count);

void cws_free(void *memory);

/// What the system says of an `errno`, to be copied at once.
const char *cws_error_text(int error);

/// The wall clock; 0 where it cannot be asked.
int64_t cws_milliseconds_since_1970(void);

// MARK: Type metadata

/// Whether `metadata`, a Swift type's metadata pointer, is that of a class-bound existential: one object
/// reference followed by witness tables.
///
/// Reads the ABI-stable head of existential metadata (kinds 0x303 and 0x307).
bool cws_is_class_bound_existential(const void *metadata);

// MARK: Unowned reference counts

#if defined(__linux__)
// The Swift runtime's own, which it exports. The two on the path of every read are called without a
// function of ours between; Swift code never refers to them by itself.

/// Adds a strong reference to `object` and returns it; null once its deinit has begun.
void *swift_tryRetain(void *object);
/// Whether the deinit of `object` has begun.
bool swift_isDeallocating(void *object);

/// Holds the object at `address` and returns it, or 0 if its memory is too much to be held when it is dead.
uintptr_t cws_unowned_retain_small(uintptr_t address);
/// Gives an unowned reference up; the last one of an object that is dead gives its memory back.
void cws_unowned_release(void *object);

// `UnownedCount.swift` declares `cws_is_small`, with the object itself as the parameter.
#endif

#endif
