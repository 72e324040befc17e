#include "jumps.h"

#include <alloca.h>
#include <ucontext.h>

static ucontext_t before;
static volatile int jumped;

__attribute__((noinline)) static void descend(int frames) {
  volatile char *bytes = alloca(256 + frames);
  bytes[0] = 0;
  if (frames == 0) setcontext(&before);
  descend(frames - 1);
  bytes[1] = 0;
}

void jump_out_of_frames(void) {
  getcontext(&before);
  if (jumped) return;
  jumped = 1;
  descend(16);
}
