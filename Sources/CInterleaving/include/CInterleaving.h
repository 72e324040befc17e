// The machine-dependent parts of a scheduler of virtual threads: stacks and the switch between
// them, memory that child processes share with their parent, and child processes.

#ifndef CINTERLEAVING_H
#define CINTERLEAVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CInterleaving+Jobs.h"

// MARK: Stacks

/// Returns whether `cil_switch` works on this architecture.
bool cil_can_switch(void);

/// Allocates a stack of `byte_count` bytes above a guard page and returns its upper end, or null if
/// there is no memory. A stack is never freed, so callers must reuse stacks.
void *cil_stack_create(size_t byte_count);

/// Prepares the stack that ends at `end` and returns its stack pointer. `cil_switch` to that
/// pointer calls `entry`, which must never return.
void *cil_stack_prepare(void *end, void (*entry)(void));

/// Saves the callee-saved registers on this stack and the stack pointer in `*saved`, then continues
/// with the stack pointer `next`. Returns when another switch continues with `*saved`.
void cil_switch(void **saved, void *next);

// MARK: Memory

/// Allocates zeroed memory that this process and its children share; returns null if there is none.
/// The system provides pages on their first use. The memory is never freed.
void *cil_shared_create(size_t byte_count);
/// Allocates memory as `cil_shared_create` does, but private to each process.
void *cil_private_create(size_t byte_count);
/// Returns the number of bytes that the allocator reserved for the object at `address`; 0 if the
/// allocator has no such function.
size_t cil_allocated_size(const void *address);

// MARK: The Swift runtime

/// Ends the runtime's checks of exclusive access in this process. The runtime tracks accesses by
/// thread of the system, and virtual threads share one.
void cil_disable_exclusivity_checks(void);

// MARK: Traps

/// Runs `body(context)` on a new thread, and returns when it has ended or trapped: 0, or the signal
/// of the trap, after which the thread waits forever and releases nothing; -1 if the system has no
/// thread or no pipe for it.
int32_t cil_run_until_trap(void (*body)(void *), void *context);

/// Prints a copy of `text` to standard error if a trap ends the process; returns the note's number,
/// or -1 if there are too many.
int32_t cil_add_trap_note(const char *text);

/// Removes a note; does nothing if the number is -1.
void cil_remove_trap_note(int32_t number);

// MARK: Child processes

/// A child process.
typedef struct {
  int32_t process;
  /// The read end of the pipe that is the child's standard error.
  int32_t error_output;
  /// The number of times that the child waited for something other than a processor, such as a
  /// lock or the end of a sleep; known after `cil_child_finish`.
  int64_t waits;
} cil_child;

/// Forks a child that runs `body(context)` and exits without exit handlers; returns false on
/// failure. The child has only the calling thread, and the default action for every signal.
bool cil_child_start(cil_child *child, void (*body)(void *), void *context);

/// Reads from the child's standard error, and waits at most `milliseconds`. Returns the number of
/// bytes, 0 at the end of the file, or -1 if there is nothing yet.
long cil_child_read(const cil_child *child, char *bytes, long capacity, int milliseconds);

/// Waits for the child's end and closes the pipe. Returns the signal that ended the child, or 0.
int cil_child_finish(cil_child *child);

/// Returns whether the child has ended; it stays a zombie until `cil_child_finish`.
bool cil_child_has_ended(const cil_child *child);

/// Returns whether the child waits for something other than a processor; false where the system
/// does not tell.
bool cil_child_is_waiting(const cil_child *child);

/// Kills the child.
void cil_child_kill(const cil_child *child);

#endif
