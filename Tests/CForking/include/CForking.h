#ifndef CFORKING_H
#define CFORKING_H

#include <stdbool.h>
#include <stdint.h>

/// Runs `body(context)` in a child process that is a plain copy of this one, on its only thread;
/// the child's exit status is what the body returns. Returns that status, or -1 if there was no
/// child, it was ended by a signal, or it did not end within `seconds`.
int cfk_run_in_child(int32_t (*body)(void *), void *context, unsigned seconds);

#endif
