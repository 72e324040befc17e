// A library that findleaks preloads into the program, so that no outdated value on the stack hides
// a leak. With findleaks --heap it stops the program before it ends, so that findleaks can count
// its objects.
//
// LeakSanitizer takes every word between the stack pointer and the start of a stack for a
// reference. When a process ends, the frames of the exiting functions overlap the former frames of
// the program. Words that the exiting functions do not write still contain values of the program,
// and LeakSanitizer does not report an object to which such a word points. The start of a stack is
// random, so these words differ between runs: one run finds a leak, and the next run does not.
//
// Therefore this library clears the stack before the process ends: when main returns, and when the
// program calls exit. It clears the memory below the last frame, which no live frame uses. It
// clears nothing on the stack of a signal handler, or on a stack with too little room. It cannot
// recognize the stack of a fiber that lies in a frame of another stack.
//
// The library adds a frame to the stacks of all allocations by main. The frame's function and file
// have the same names as those of main, so that no suppression can match this frame alone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/// The number of bytes to clear: many times as many as the exiting functions use.
enum { cleared = 1 << 16 };

/// Clears the stack below the current frame.
///
/// The words are volatile, because the compiler would replace another loop by a call of memset.
/// That would be AddressSanitizer's memset, which reports an error in the frames of functions that
/// a jump left, because AddressSanitizer still considers them live.
__attribute__((noinline)) static void clear(void) {
  size_t dead[cleared / sizeof(size_t)];
  volatile size_t *end = dead + sizeof dead / sizeof *dead;
  for (volatile size_t *word = dead; word < end; word++) *word = 0;
}

/// Returns whether `size`, which the C library reports, is the size of the current stack. The main
/// thread's stack has that size unless the program has changed the resource limit. The size of
/// every other thread's stack is fixed.
static int knows_size(size_t size) {
  struct rlimit limit;
  return getpid() != gettid() || (getrlimit(RLIMIT_STACK, &limit) == 0 && size <= limit.rlim_cur);
}

/// Returns whether the thread runs on its own stack, with room for twice the number of bytes to
/// clear.
static int has_room(void) {
  stack_t signals;
  if (sigaltstack(NULL, &signals) != 0 || (signals.ss_flags & SS_ONSTACK)) return 0;
  pthread_attr_t attributes;
  void *lowest = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (failed || !knows_size(size)) return 0;
  size_t left = (size_t)((char *)__builtin_frame_address(0) - (char *)lowest);
  return left <= size && left >= 2 * cleared;
}

static void clear_stack(void) {
  if (has_room()) clear();
}

/// The process whose objects findleaks counts, or 0. Children of this process do not stop.
static pid_t counted;

static void learn_whether_counted(void) {
  static const char variable[] = "FINDLEAKS_STOPS";
  if (getenv(variable) != NULL) counted = getpid();
  unsetenv(variable);
}

/// Stops the program until findleaks has counted its objects, if findleaks asks for it.
static void wait_to_be_counted(void) {
  if (counted == getpid()) raise(SIGSTOP);
}

typedef int main_function(int, char **, char **);

static main_function *program_main;

static int main_with_clean_end(int, char **, char **) __asm__("main");

static int main_with_clean_end(int count, char **arguments, char **environment) {
  learn_whether_counted();
  int status = program_main(count, arguments, environment);
  clear_stack();
  wait_to_be_counted();
  return status;
}

typedef int start_function(
    main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(
    main_function *main, int count, char **arguments, void (*init)(void), void (*fini)(void),
    void (*loader_fini)(void), void *stack_end) {
  start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
  program_main = main;
  return start(main_with_clean_end, count, arguments, init, fini, loader_fini, stack_end);
}

__attribute__((noreturn)) void exit(int status) {
  __attribute__((noreturn)) void (*end)(int) = dlsym(RTLD_NEXT, "exit");
  clear_stack();
  wait_to_be_counted();
  end(status);
}
