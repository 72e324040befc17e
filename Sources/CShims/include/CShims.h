// Operations that Swift cannot express: thread-local slots, a hook at thread exit, futexes, a spin
// hint, sanitizer annotations, unowned reference counts, and reads of type metadata that weak
// references need.

#ifndef CWEAKSHIMS_H
#define CWEAKSHIMS_H

// Words have a tag in bits 48 to 63. The error is fatal so that no other one follows it.
#if !(defined(__linux__) || defined(__APPLE__)) || !defined(__LP64__)
#pragma clang diagnostic fatal "-W#warnings"
#warning weak-collections supports 64-bit Linux and the 64-bit platforms of Apple
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "CShims+Scheduling.h"

// MARK: Thread-local slots

/// The number of thread-local slots; Swift's `ThreadSlot` names them.
#define CWS_SLOT_COUNT 3

extern _Thread_local void *cws_slots[CWS_SLOT_COUNT];

static inline void *cws_slot_get(long index) { return cws_slots[index]; }
static inline void cws_slot_set(long index, void *value) { cws_slots[index] = value; }

/// The number of compare-exchanges of this thread that failed because another thread was faster.
extern _Thread_local long cws_failed_compare_exchanges;

static inline long cws_failed_compare_exchanges_get(void) { return cws_failed_compare_exchanges; }
static inline void cws_failed_compare_exchange_note(void) { cws_failed_compare_exchanges++; }

/// The thread-local state of a system thread; a scheduler keeps one copy for each virtual thread.
typedef struct {
  void *slots[CWS_SLOT_COUNT];
  long failed_compare_exchanges;
} cws_thread_locals;

static inline void cws_thread_locals_save(cws_thread_locals *locals) {
  for (int i = 0; i < CWS_SLOT_COUNT; i++) locals->slots[i] = cws_slots[i];
  locals->failed_compare_exchanges = cws_failed_compare_exchanges;
}
static inline void cws_thread_locals_restore(const cws_thread_locals *locals) {
  for (int i = 0; i < CWS_SLOT_COUNT; i++) cws_slots[i] = locals->slots[i];
  cws_failed_compare_exchanges = locals->failed_compare_exchanges;
}

/// Registers `handler(value)` to run when the calling thread ends. A later call on the same thread
/// replaces `value`; a call during the thread's exit runs the handler once more.
void cws_at_thread_exit(void (*handler)(void *), void *value);

/// Returns the kernel's number of the calling thread, as debuggers and procfs show it.
uint64_t cws_thread_number(void);

/// Starts a thread that calls `body(value)`, receives no signals but those of its own crashes, and
/// is never joined. Returns false if the system has no room for it.
bool cws_start_thread(void (*body)(void *), void *value);

/// Suspends the calling thread for about `count` microseconds, fewer than a million.
void cws_sleep_microseconds(long count);

// MARK: Processes

/// The number of forks between this process and the one that first called `cws_after_fork`.
extern uint64_t cws_forks;

static inline uint64_t cws_fork_count(void) { return cws_forks; }

/// Registers `handler()` to run in every child process, on the thread that forked, which is the
/// only thread there. Every caller passes the same handler.
void cws_after_fork(void (*handler)(void));

// MARK: Barriers

/// Prepares `cws_process_barrier`; returns false if the system has no such barrier.
bool cws_process_barrier_prepare(void);

/// Executes a full barrier on every thread of this process, each at some moment of the call.
/// Returns false if the system refused.
bool cws_process_barrier(void);

/// Prevents the compiler from moving memory accesses across the call. Emits no instruction.
static inline void cws_compiler_barrier(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// MARK: Waiting

/// Sleeps while `*word == expected`. May return early without a reason.
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

/// Returns `byte_count` zero bytes that begin on a cache line; null if memory is exhausted.
void *cws_allocate_zeroed(long byte_count);
void cws_free_zeroed(void *memory);

/// Searches the first four words of the cache line at `base + offset` for `word`. Returns
/// `base + n` if the word at `base + offset + n` equals it. If no word does, or if other threads
/// change the words during the call, n is the offset of any of the four.
///
/// The result is a guess: the caller loads the word there atomically and compares. So the loads
/// here need no atomicity. They are in assembly, which the compiler and the sanitizers do not
/// examine, or else relaxed atomics, so that they are no data race. `offset` is a parameter of its
/// own because the caller's loads add it for free.
static inline const void *cws_guess_word(const void *base, long offset, uintptr_t word) {
  const char *line = (const char *)base + offset;
#if defined(__SSE2__)
  const __m128i *pairs = (const __m128i *)line;
  __m128i both = _mm_set1_epi64x((long long)word);
  __m128i first = both, second = both;
  __asm__("pcmpeqd %1, %0" : "+x"(first) : "m"(pairs[0]));
  __asm__("pcmpeqd %1, %0" : "+x"(second) : "m"(pairs[1]));
  // From 32 bits for each half of a word to 16; a word is equal if both its halves are.
  __m128i equal = _mm_cmpeq_epi32(_mm_packs_epi32(first, second), _mm_set1_epi32(-1));
  unsigned mask = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal));
  // Otherwise the compiler narrows the next operation, and widens its result again.
  __asm__("" : "+r"(mask));
  const char *found = (const char *)base + __builtin_ctz(mask | 8) * 8;
#else
  const uintptr_t *words = (const uintptr_t *)line;
  // Sums instead of branches: a processor mispredicts most of the branches of such a search.
  uintptr_t index = (__atomic_load_n(words + 1, __ATOMIC_RELAXED) == word)
    + (__atomic_load_n(words + 2, __ATOMIC_RELAXED) == word) * 2
    + (__atomic_load_n(words + 3, __ATOMIC_RELAXED) == word) * 3;
  const char *found = (const char *)base + index * 8;
#endif
  // Otherwise the compiler computes the address again for each of the caller's loads.
  __asm__("" : "+r"(found));
  return found;
}

/// Prefetches the cache line at `address` for reading.
static inline void cws_prefetch(const void *address) { __builtin_prefetch(address); }

// MARK: The optimizer

/// Makes the compiler keep the computation of `value`. Costs nothing at run time.
static inline void cws_consume(long value) { __asm__ volatile("" : : "r"(value)); }

// MARK: Sanitizers

// Swift has no compilation condition for sanitizers, and its importer defines none for C headers.
// So each annotation calls a weak symbol; without the sanitizer it costs one comparison.
#if defined(__linux__)
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/// Informs ThreadSanitizer that everything before the last `cws_tsan_release(address)` is visible
/// here.
static inline void cws_tsan_acquire(const void *address) {
  if (__tsan_acquire) __tsan_acquire((void *)address);
}
static inline void cws_tsan_release(const void *address) {
  if (__tsan_release) __tsan_release((void *)address);
}
/// Returns whether the process runs under ThreadSanitizer.
static inline bool cws_under_tsan(void) { return __tsan_acquire != 0; }

extern void __asan_init(void) __attribute__((weak));
/// Returns whether the process runs under AddressSanitizer.
static inline bool cws_under_asan(void) { return __asan_init != 0; }

extern void __lsan_do_leak_check(void) __attribute__((weak));
/// Returns whether LeakSanitizer, alone or with another sanitizer, can search the process's memory.
static inline bool cws_detects_leaks(void) { return __lsan_do_leak_check != 0; }

extern void __lsan_ignore_object(const void *object) __attribute__((weak));
/// Makes LeakSanitizer ignore `object` and everything that it points to.
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

/// Returns the number of the machine's cores; -1 if the system does not report it.
long cws_online_cores(void);

/// Returns the number of cores that this process may use; -1 if the system does not report it. Not
/// reentrant.
long cws_affinity_cores(void);

/// Copies the first line that begins with `prefix` to `line`, without its newline. Returns false if
/// there is no such line.
bool cws_read_line(const char *path, const char *prefix, char *line, long capacity);

// MARK: Printing

/// Writes `line` and a newline to standard error.
void cws_print_error(const char *line);

/// Returns whether the signal exists and a program may handle it.
bool cws_can_catch_signal(int number);

#if defined(__APPLE__)
/// Ignores the signal. Dispatch sources still receive it, because they use a kernel queue.
void cws_ignore_signal(int number);
#endif

// MARK: Files

/// Opens a file for appending and creates it if it is missing. Returns the descriptor, or a negated
/// `errno`.
int cws_open_appending(const char *path);

void cws_close(int descriptor);

/// Returns whether the path names the open file.
bool cws_is_at_path(int descriptor, const char *path);
/// Returns the size of an open regular file; 0 for anything else.
long cws_file_size(int descriptor);
/// Renames the open file from PATH to PATH.1, after it has renamed PATH.1 to PATH.2 and so on, at
/// most to PATH.kept, which it replaces. Does nothing if the path names another file, as after a
/// rotation by another process. Returns 0 or an error number.
int cws_rotate_file(int descriptor, const char *path, int kept);

/// Writes `count` bytes, with more than one `write` only if the first is partial. Returns 0 or an
/// `errno`, and sets `written` to the number of bytes written. A pipe without a reader returns
/// `EPIPE` and raises no signal.
int cws_write_all(int descriptor, const void *bytes, long count, long *written);

/// Writes a temporary file in the same folder and renames it to `path`. Returns 0 or an `errno`.
int cws_replace_file(const char *path, const void *bytes, long count);

/// Reads a whole file into memory that the caller frees with `cws_free`. Returns 0 or an `errno`;
/// after an error there is nothing to free.
int cws_read_file(const char *path, char **bytes, long *count);

void cws_free(void *memory);

/// Returns the system's description of an `errno`. Valid until the next call.
const char *cws_error_text(int error);

/// Returns the wall-clock time; 0 if the system does not report it.
int64_t cws_milliseconds_since_1970(void);

// MARK: Type metadata

/// Returns whether `metadata` is the Swift type metadata of a class-bound existential: one object
/// reference followed by witness tables.
///
/// Reads the ABI-stable beginning of existential metadata (kinds 0x303 and 0x307).
bool cws_is_class_bound_existential(const void *metadata);

// MARK: Unowned reference counts

#if defined(__linux__)
// Exported by the Swift runtime. Every read calls the first two directly, without a wrapper of
// ours. Swift code never refers to them by itself.

/// Adds a strong reference to `object` and returns it; returns null once its deinit has begun.
void *swift_tryRetain(void *object);
/// Returns whether the deinit of `object` has begun.
bool swift_isDeallocating(void *object);

/// Adds an unowned reference to the object at `address` and returns the address; returns 0 and adds
/// nothing if its instance is too large to stay allocated after its death.
uintptr_t cws_unowned_retain_small(uintptr_t address);
/// Adds an unowned reference to `object`, however large; returns the size of its instance.
long cws_unowned_retain(void *object);
/// Removes an unowned reference. Removing the last one of a dead object frees its memory.
void cws_unowned_release(void *object);

// `UnownedCount.swift` declares `cws_is_small`, with the object itself as the parameter.
#endif

#endif
