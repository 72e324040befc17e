// Three features that `LeakTesting` needs and Swift lacks: code that runs when a module is loaded,
// whether a stored field is a strong reference, and the source location of a function.

#ifndef CLEAKTESTING_H
#define CLEAKTESTING_H

#include <stdbool.h>
#include <stdint.h>

/// Installs the recording of failures. `LeakTesting` defines this function, and this module calls
/// it before `main`, so linking `LeakTesting` is enough.
void leak_testing_install(void);

/// Returns the number of stored fields of a type, including those of superclasses, which come
/// first; -1 if the runtime lacks the functions that describe fields.
intptr_t clt_field_count(const void *type);

/// Returns whether a stored field is neither weak nor unowned. Call it only if `clt_field_count` of
/// the type is greater than `index`.
bool clt_field_is_strong(const void *type, intptr_t index);

/// Calls `body` with `context`. In a backtrace that `body` captures, the caller is the first
/// instruction of the function at `address`, so that the runtime looks up its source location.
///
/// Only for x86-64 and arm64 on Linux.
void clt_call_from(uintptr_t address, void (*body)(void *), void *context);

/// Returns the address at which the system loaded the program or library that contains `address`,
/// and sets `path` to its file; 0 if none contains it.
uintptr_t clt_image(const void *address, const char **path);

#endif
