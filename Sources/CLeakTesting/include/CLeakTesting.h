// Makes `LeakTesting` take effect by being linked: Swift has nothing that runs when a module is loaded.

#ifndef CLEAKTESTING_H
#define CLEAKTESTING_H

/// Defined in `LeakTesting`; called before `main`.
void leak_testing_install(void);

#endif
