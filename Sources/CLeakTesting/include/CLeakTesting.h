// What `LeakTesting` needs and Swift has not: something that runs when a module is loaded, and the stored fields of a
// type.

#ifndef CLEAKTESTING_H
#define CLEAKTESTING_H

#include <stdbool.h>
#include <stdint.h>

/// Defined in `LeakTesting`; called before `main`, which makes that take effect by being linked.
void leak_testing_install(void);

/// How many stored fields a type has, those of superclasses included, which come first; -1 where the runtime does
/// not tell.
intptr_t clt_field_count(const void *type);

/// Whether a stored field holds what it refers to: not if it is weak or unowned.
bool clt_field_is_strong(const void *type, intptr_t index);

#endif
