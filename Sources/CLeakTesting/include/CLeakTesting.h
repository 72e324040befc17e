// Three features that `LeakTesting` needs and Swift lacks: code that runs when a module is loaded,
// a description of the stored fields of a type, and the source location of a function.

#ifndef CLEAKTESTING_H
#define CLEAKTESTING_H

#include <stdbool.h>
#include <stdint.h>

/// Installs the recording of failures. `LeakTesting` defines this function, and this module calls
/// it before `main`, so linking `LeakTesting` is enough.
void leak_testing_install(void);

/// Returns the number of stored fields of a type, including those of superclasses, which come
/// first; -1 if the runtime does not describe the type.
intptr_t clt_field_count(const void *type);

/// Returns whether a stored field is a strong reference, that is, neither weak nor unowned.
bool clt_field_is_strong(const void *type, intptr_t index);

/// Calls `body` with `context`. A backtrace that `body` captures shows the first instruction of the
/// function at `address` as the caller, so that the runtime looks up its source location.
///
/// Only for x86-64 and arm64 on Linux.
void clt_call_from(uintptr_t address, void (*body)(void *), void *context);

/// Returns the address at which the program or library with `address` is loaded, and the path of
/// its file; 0 if there is none.
uintptr_t clt_image(const void *address, const char **path);

#endif
