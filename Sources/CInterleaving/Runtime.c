#include <CInterleaving.h>

// Exported by the Swift runtime. Weak, because another runtime may lack it.
extern bool _swift_disableExclusivityChecking __attribute__((weak));

void cil_disable_exclusivity_checks(void) {
  if (&_swift_disableExclusivityChecking) _swift_disableExclusivityChecking = true;
}
