// The search's process, a copy of the one that asks: what it does, and how it is ended.

#ifndef CRI_CHILD_H
#define CRI_CHILD_H

#include <CRetainPaths.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cri_child {
  pid_t parent;
  /// What it writes its answer to.
  int pipe;
  /// When it says what it knows, at the latest.
  uint64_t deadline;
  /// How many have searched before for the same.
  unsigned attempt;
};

/// What the child does. It does not return.
_Noreturn void cri_search_in_child(const struct cri_search *search, const struct cri_child *it);

/// A child that is signalled and waited for by descriptor; no descriptor: -1, no such child: number 0.
struct cri_process {
  pid_t number;
  int handle;
};

/// To be asked right after the fork: later the number may be another's where the program itself waits for its children.
struct cri_process cri_know_child(pid_t process);

/// Ends the child, and waits so many milliseconds for that; what takes longer a thread waits for. One that has said
/// its last, or died, ends by itself.
void cri_end_child(struct cri_process child, bool ends_by_itself, unsigned patience);

#endif
