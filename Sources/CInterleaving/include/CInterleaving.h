// What a scheduler of virtual threads needs from the machine: stacks to switch between, memory that
// a child process shares with its parent, and child processes.

#ifndef CINTERLEAVING_H
#define CINTERLEAVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Stacks

/// Whether this machine has a switch.
bool cil_can_switch(void);

/// A new stack of `byte_count` bytes above a guard page; its end, where a stack begins. Null if
/// there is no memory. Stacks are kept for ever: whoever makes them pools them.
void *cil_stack_create(size_t byte_count);

/// What `cil_switch` restores to enter `entry`, which never returns, on the stack that ends at
/// `end`.
void *cil_stack_prepare(void *end, void (*entry)(void));

/// Saves the callee-saved registers on this stack and its pointer in `*saved`, then goes on where
/// the stack pointer `next` was saved. Returns when another switch restores what this one saved.
void cil_switch(void **saved, void *next);

// MARK: Memory

/// Zeroed memory, touched page by page, which the children of this process share with it, and
/// kept for ever. Null if none.
void *cil_shared_create(size_t byte_count);
/// The same, which each process has for itself.
void *cil_private_create(size_t byte_count);
/// How many bytes the allocator gave to the object at `address`; 0 where that cannot be asked.
size_t cil_allocated_size(const void *address);

// MARK: Child processes

typedef struct {
  int32_t process;
  /// What the child writes to its standard error can be read here.
  int32_t error_output;
} cil_child;

/// Runs `body(context)` in a copy of this process with the calling thread alone, whose signals are
/// handled as the system's defaults say; it ends without running anything at exit. False if there
/// is none.
bool cil_child_start(cil_child *child, void (*body)(void *), void *context);

/// Reads what the child has written to its standard error, waiting at most `milliseconds` for it;
/// the number of bytes, 0 at its end, -1 if there is nothing yet.
long cil_child_read(const cil_child *child, char *bytes, long capacity, int milliseconds);

/// Waits for the child's end and closes what was opened for it; the signal that ended it, or 0.
int cil_child_finish(cil_child *child);

/// Whether the child has ended and waits to be finished.
bool cil_child_has_ended(const cil_child *child);

void cil_child_kill(const cil_child *child);

#endif
