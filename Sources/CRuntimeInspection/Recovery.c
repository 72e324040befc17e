// Stale memory may look like an object and not be one. Where the walk crashes it goes on with the next node.

#include <setjmp.h>
#include <signal.h>

#include "Walk.h"

#if defined(__linux__) && __SIZEOF_POINTER__ == 8

static sigjmp_buf beginning;
static volatile sig_atomic_t can_recover;

CRI_UNCHECKED bool cri_survives(struct cri_walk *walk, void (*visit)(struct cri_walk *, uint32_t),
                                uint32_t node) {
  // Without the mask of signals, which the handlers do not change: nothing is asked of the system.
  if (sigsetjmp(beginning, 0) != 0) return false;
  can_recover = 1;
  visit(walk, node);
  can_recover = 0;
  return true;
}

CRI_UNCHECKED void cri_recover(void) {
  if (!can_recover) return;
  can_recover = 0;
  siglongjmp(beginning, 1);
}

#endif
