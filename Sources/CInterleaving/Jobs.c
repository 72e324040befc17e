// Hooks of Swift's concurrency runtime (ConcurrencyHooks.h), and definitions of two of its
// functions that replace the runtime's in the code that is linked with them:
//
// - `swift_task_create` gives an unstructured task the thread's task executor as its preference.
// - `swift_task_switch` changes a task's executor, as at a call of an actor. If the new executor is
//   idle, the runtime makes the switch on the same thread, and no executor hears of it. On a
//   controlled thread the task goes to a serial executor first, the *detour*. When that executor
//   runs the task, the original switch takes place.
//
// Both are weak: in a program that contains the runtime, the runtime's own ones count.

#define _GNU_SOURCE
#include <CInterleaving+Jobs.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if __has_attribute(swiftcall) && __has_attribute(swiftasynccall) && __LP64__
#define HAS_CONVENTIONS 1
#else
#define HAS_CONVENTIONS 0
#endif

static _Thread_local cil_job_control *control;
// Sequentially consistent, because it is stored once in a process. A thread that does not see it
// has no job of an exploration.
static bool (*_Atomic watcher)(void *job);

void cil_control_jobs(cil_job_control *new_control) { control = new_control; }

void *cil_job_owner(void) { return control ? control->owner : NULL; }

void cil_watch_jobs(bool (*takes)(void *job)) { watcher = takes; }

#if HAS_CONVENTIONS

#define SWIFT __attribute__((swiftcall))

// MARK: Hooks

typedef SWIFT void (*enqueue_function)(void *job);
typedef SWIFT void (*enqueue_hook)(void *job, enqueue_function original);
typedef SWIFT void (*delay_function)(unsigned long long delay, void *job);
typedef SWIFT void (*delay_hook)(unsigned long long delay, void *job, delay_function original);
typedef SWIFT void (*deadline_function)(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job);
typedef SWIFT void (*deadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job, deadline_function original);

// The hooks that another library has installed.
static enqueue_hook next_global, next_main;
static delay_hook next_delay;
static deadline_hook next_deadline;

static bool takes(void *job, cil_job_target target, uint64_t nanoseconds) {
  if (control) {
    control->enqueue(control->owner, job, target, nanoseconds);
    return true;
  }
  bool (*function)(void *) = watcher;
  return function && function(job);
}

static SWIFT void enqueue_global(void *job, enqueue_function original) {
  if (takes(job, CIL_GLOBAL_EXECUTOR, 0)) return;
  if (next_global) return next_global(job, original);
  original(job);
}

static SWIFT void enqueue_main(void *job, enqueue_function original) {
  if (takes(job, CIL_MAIN_EXECUTOR, 0)) return;
  if (next_main) return next_main(job, original);
  original(job);
}

static SWIFT void enqueue_delayed(unsigned long long delay, void *job, delay_function original) {
  if (control) return (void)takes(job, CIL_TIMER, delay);
  if (next_delay) return next_delay(delay, job, original);
  original(delay, job);
}

static long long now(int clock, long long *nanoseconds) {
  // The numbers of the runtime's clocks: 1 is the continuous one, 2 does not count system sleep.
  struct timespec time;
#if defined(__APPLE__)
  clock_gettime(clock == 2 ? CLOCK_UPTIME_RAW : CLOCK_MONOTONIC_RAW, &time);
#else
  clock_gettime(clock == 2 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME, &time);
#endif
  *nanoseconds = time.tv_nsec;
  return time.tv_sec;
}

static SWIFT void enqueue_until(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job, deadline_function original) {
  if (control) {
    long long now_nanoseconds;
    long long now_seconds = now(clock, &now_nanoseconds);
    long long delay =
        (seconds - now_seconds) * 1000000000ll + (nanoseconds - now_nanoseconds);
    takes(job, CIL_TIMER, delay > 0 ? (uint64_t)delay : 0);
    return;
  }
  if (next_deadline) {
    return next_deadline(
        seconds, nanoseconds, tolerance_seconds, tolerance_nanoseconds, clock, job, original);
  }
  original(seconds, nanoseconds, tolerance_seconds, tolerance_nanoseconds, clock, job);
}

typedef SWIFT cil_executor (*executor_function)(void);
typedef SWIFT cil_executor (*executor_hook)(executor_function original);

static executor_hook next_main_executor;

static SWIFT cil_executor main_executor(executor_function original) {
  if (control && control->main.identity) return control->main;
  return next_main_executor ? next_main_executor(original) : original();
}

static bool install(const char *name, void *hook, void **next) {
  void **place = dlsym(RTLD_DEFAULT, name);
  if (!place) return false;
  *next = *place;
  *place = hook;
  return true;
}

bool cil_install_job_hooks(void) {
  return install("swift_task_enqueueGlobal_hook", (void *)enqueue_global, (void **)&next_global)
      && install("swift_task_enqueueMainExecutor_hook", (void *)enqueue_main, (void **)&next_main)
      && install(
          "swift_task_enqueueGlobalWithDelay_hook", (void *)enqueue_delayed, (void **)&next_delay)
      && install(
          "swift_task_enqueueGlobalWithDeadline_hook", (void *)enqueue_until,
          (void **)&next_deadline)
      && install(
          "swift_task_getMainExecutor_hook", (void *)main_executor, (void **)&next_main_executor);
}

// MARK: Creation

// The start of an option of a new task (swift/ABI/TaskOptions.h).
typedef struct task_option {
  size_t kind;
  struct task_option *next;
} task_option;

typedef struct {
  task_option option;
  cil_executor executor;
} preference_option;

enum { UNOWNED_PREFERENCE = 5, OWNED_PREFERENCE = 6, KIND_MASK = 0xff, CHILD_FLAG = 1 << 8 };

typedef struct {
  void *task;
  void *context;
} created_task;

typedef SWIFT created_task (*create_function)(
    size_t flags, task_option *options, const void *type, void *function, void *context);

// Relaxed, here and below, for the results of `dlsym`: each thread that finds none looks it up, and
// all get the same.
static _Atomic create_function original_create;

static create_function find_create(void) {
  create_function found = atomic_load_explicit(&original_create, memory_order_relaxed);
  if (found) return found;
  found = (create_function)dlsym(RTLD_NEXT, "swift_task_create");
  atomic_store_explicit(&original_create, found, memory_order_relaxed);
  return found;
}

static bool has_preference(const task_option *option) {
  for (; option; option = option->next) {
    size_t kind = option->kind & KIND_MASK;
    if (kind == UNOWNED_PREFERENCE || kind == OWNED_PREFERENCE) return true;
  }
  return false;
}

__attribute__((weak)) SWIFT created_task swift_task_create(
    size_t flags, task_option *options, const void *type, void *function, void *context) {
  create_function original = find_create();
  // A child has the preference of its parent.
  if (!control || flags & CHILD_FLAG || has_preference(options)) {
    return original(flags, options, type, function, context);
  }
  preference_option preference = {{UNOWNED_PREFERENCE, options}, control->preference};
  return original(flags, &preference.option, type, function, context);
}

// MARK: Detour

#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))

typedef SWIFT_ASYNC void (*resume_function)(CONTEXT void *context);
typedef SWIFT_ASYNC void (*switch_function)(
    CONTEXT void *context, resume_function resume, void *executor, uintptr_t implementation);
static _Atomic switch_function original_switch;
static _Atomic executor_function current_executor;

// Functions of their own: the functions with the asynchronous convention only call and return.

__attribute__((noinline)) static switch_function find_switch(void) {
  switch_function found = atomic_load_explicit(&original_switch, memory_order_relaxed);
  if (found) return found;
  found = (switch_function)dlsym(RTLD_NEXT, "swift_task_switch");
  atomic_store_explicit(&original_switch, found, memory_order_relaxed);
  return found;
}

static executor_function find_current_executor(void) {
  executor_function found = atomic_load_explicit(&current_executor, memory_order_relaxed);
  if (found) return found;
  found = (executor_function)dlsym(RTLD_DEFAULT, "swift_task_getCurrentExecutor");
  atomic_store_explicit(&current_executor, found, memory_order_relaxed);
  return found;
}

__attribute__((noinline)) static bool takes_detour(
    void *context, void *resume, void *executor, uintptr_t implementation) {
  cil_job_control *own = control;
  executor_function current = own ? find_current_executor() : NULL;
  if (!current || current().identity == executor) return false;
  if (own->request_count == CIL_SWITCH_CAPACITY) return false;
  own->requests[own->request_count++] =
      (cil_switch_request){context, resume, {executor, implementation}};
  own->last_resume = resume;
  return true;
}

__attribute__((noinline)) static cil_switch_request take_request(void *context) {
  cil_job_control *own = control;
  for (int32_t index = own ? own->request_count - 1 : -1; index >= 0; index--) {
    if (own->requests[index].context != context) continue;
    cil_switch_request found = own->requests[index];
    own->requests[index] = own->requests[--own->request_count];
    return found;
  }
  // Only the thread that registered the request runs the jobs of the detour.
  abort();
}

// A call in return position is a tail call in this convention.

static SWIFT_ASYNC void leave_detour(CONTEXT void *context) {
  cil_switch_request request = take_request(context);
  return find_switch()(
      context, (resume_function)request.resume, request.executor.identity,
      request.executor.implementation);
}

__attribute__((weak)) SWIFT_ASYNC void swift_task_switch(
    CONTEXT void *context, resume_function resume, void *executor, uintptr_t implementation) {
  switch_function original = find_switch();
  if (takes_detour(context, (void *)resume, executor, implementation)) {
    return original(
        context, leave_detour, control->detour.identity, control->detour.implementation);
  }
  return original(context, resume, executor, implementation);
}

bool cil_can_detour(void) {
  return find_switch() && find_current_executor() && find_create();
}

#else

bool cil_install_job_hooks(void) { return false; }
bool cil_can_detour(void) { return false; }

#endif

// MARK: Jobs

// The layout of a job (swift/ABI/Task.h), which is the same in all versions: two words of an
// object, two words for the scheduler, the flags, a number, a voucher and a reserved word, and then
// the function. The lowest byte of the flags is the kind.
enum { FLAGS_OFFSET = 32, FUNCTION_OFFSET = 56 };
enum { TASK_KIND = 0, CONTINUATION_KIND = 195 };

static uint8_t kind(const void *job) {
  uint8_t kind;
  memcpy(&kind, (const char *)job + FLAGS_OFFSET, sizeof kind);
  return kind;
}

bool cil_is_resumption(const void *job) { return kind(job) == CONTINUATION_KIND; }

uint64_t cil_task_number(const void *job) {
  typedef
#if HAS_CONVENTIONS
      SWIFT
#endif
          uint64_t (*number_function)(const void *job);
  static _Atomic number_function number;
  if (kind(job) != TASK_KIND) return 0;
  number_function found = atomic_load_explicit(&number, memory_order_relaxed);
  if (!found) {
    found = (number_function)dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
    atomic_store_explicit(&number, found, memory_order_relaxed);
  }
  return found ? found(job) : 0;
}

const void *cil_resume_function(const void *job) {
  const void *function;
  memcpy(&function, (const char *)job + FUNCTION_OFFSET, sizeof function);
  return function;
}

void cil_sleep_briefly(void) {
  struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
}

int64_t cil_thread_waits(void) {
#if defined(RUSAGE_THREAD)
  struct rusage usage = {0};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
#else
  return 0;
#endif
}
