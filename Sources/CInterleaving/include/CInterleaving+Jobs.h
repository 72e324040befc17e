// The jobs of Swift's concurrency runtime, for an executor that runs them in an order of its own.
//
// The hooks here belong to the whole process, but act only on what a thread does while it has a
// `cil_job_control`. They pass everything else on.

#ifndef CINTERLEAVING_JOBS_H
#define CINTERLEAVING_JOBS_H

#include <stdbool.h>
#include <stdint.h>

/// The executor that a job was meant for.
typedef enum { CIL_GLOBAL_EXECUTOR, CIL_MAIN_EXECUTOR, CIL_TIMER } cil_job_target;

/// A reference to an executor, as the runtime has it: an object and a witness table.
typedef struct {
  void *identity;
  uintptr_t implementation;
} cil_executor;

/// The number of tasks that can wait at a switch of executors at the same time.
enum { CIL_SWITCH_CAPACITY = 256 };

/// A switch of executors that a task has begun and not made: its context, the function that
/// continues there, and the executor.
typedef struct {
  void *context;
  void *resume;
  cil_executor executor;
} cil_switch_request;

/// A thread's control of the jobs that it enqueues.
typedef struct {
  void *owner;
  /// Receives a job in place of the runtime's executor. `nanoseconds` is the delay of a timer.
  void (*enqueue)(void *owner, void *job, cil_job_target target, uint64_t nanoseconds);
  /// The task executor that tasks without a preference get when the thread creates them.
  cil_executor preference;
  /// The serial executor of the main actor for the thread.
  cil_executor main;
  /// The serial executor to which a task goes before each switch to another executor. A job on it
  /// is a task that waits for its switch.
  cil_executor detour;
  /// The function with which the last task that took the detour continues after its switch.
  const void *last_resume;
  int32_t request_count;
  cil_switch_request requests[CIL_SWITCH_CAPACITY];
} cil_job_control;

/// Installs the hooks; returns false if the runtime has none.
bool cil_install_job_hooks(void);

/// Returns whether tasks can get a preference, and take a detour. That needs a runtime in a library
/// of its own, and a compiler with its calling conventions.
bool cil_can_detour(void);

/// Makes `control` receive the jobs that the calling thread enqueues; null ends that.
void cil_control_jobs(cil_job_control *control);

/// Returns the owner of the calling thread's control; null if there is none.
void *cil_job_owner(void);

/// Sets the function to ask about each job that another thread enqueues on the global or the main
/// executor; it returns true to take the job. Null asks none.
void cil_watch_jobs(bool (*takes)(void *job));

/// Returns whether a job only resumes the task that yielded or slept.
bool cil_is_resumption(const void *job);

/// Returns the number of the task that a job belongs to; 0 if the job is no task.
uint64_t cil_task_number(const void *job);

/// Returns the function that a task continues with when its job runs.
const void *cil_resume_function(const void *job);

/// Writes the demangled name of the function at `address`, at most `capacity` bytes and a 0;
/// returns false if the name is not known, or if the function is the runtime's own.
bool cil_function_name(const void *address, char *name, long capacity);

/// Blocks the calling thread for about a millisecond.
void cil_sleep_briefly(void);

/// Returns the number of times that the calling thread waited for something other than a processor;
/// 0 where the system does not tell.
int64_t cil_thread_waits(void);

#endif
