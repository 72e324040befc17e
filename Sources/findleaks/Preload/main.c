// Preloaded into what findleaks runs, so that no word of dead stack hides a leak.
//
// LeakSanitizer takes every word between the stack pointer and the start of a stack for a reference. When
// a process ends, the functions of its end have their frames where those of the program were, and in
// what they do not write lie words of the program's. An object that only such a word points to is not
// told. Where stacks begin is random, and with it which words those are: the same leak is found in one
// run and not in the next.
//
// So the end begins with a clean stack: what lies below the last frame is cleared where main returns and
// where exit is called. That is dead: what runs on a signal's stack, or on one of too little room, is left
// alone. Only of a fibre whose stack lies in another's frame does nothing tell.
//
// The frame that this adds to the stacks of all that main allocates is named as the one above it, and so is
// the file: no suppression can be meant for it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

/// In bytes, many times what the functions of the end need.
enum { cleared = 1 << 16 };

/// The words are volatile, since a loop over others would be made a call of memset, and that is
/// AddressSanitizer's: it would complain of frames that were left by a jump it knows nothing of.
__attribute__((noinline)) static void clear(void) {
  size_t dead[cleared / sizeof(size_t)];
  volatile size_t *end = dead + sizeof dead / sizeof *dead;
  for (volatile size_t *word = dead; word < end; word++) *word = 0;
}

/// Whether the limit of the main thread's stack is what the thread was told: the C library then knows its
/// size. The limits of others are their own.
static int knows_size(size_t size) {
  struct rlimit limit;
  return getpid() != gettid() || (getrlimit(RLIMIT_STACK, &limit) == 0 && size <= limit.rlim_cur);
}

/// Whether the thread's own stack is in use, and has twice as much left.
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

typedef int main_function(int, char **, char **);

static main_function *program_main;

static int main_with_clean_end(int, char **, char **) __asm__("main");

static int main_with_clean_end(int count, char **arguments, char **environment) {
  int status = program_main(count, arguments, environment);
  clear_stack();
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
  end(status);
}
