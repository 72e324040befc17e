// Two features that `LeakTesting` needs and Swift lacks: code that runs when a module is loaded,
// and a description of the stored fields of a type.

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

#endif
