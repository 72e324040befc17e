// Switching stacks. A switch is a function call, so the compiler has saved whatever a call may
// destroy; what is left are the registers that a call must preserve, and the stack pointer.
//
// A prepared stack looks as if a switch had saved it: zeros for the registers and the entry
// function as the place to return to. On x86-64 a function finds its stack 8 bytes off a multiple
// of 16, since the call pushed the return address; on arm64 the stack pointer is always a multiple
// of 16.

#include <CInterleaving.h>
#include <string.h>

#define STRING(x) #x
#define EXPANDED(x) STRING(x)
#define SYMBOL EXPANDED(__USER_LABEL_PREFIX__) "cil_switch"

#if defined(__x86_64__) && !defined(_WIN32)

__asm__(
    ".text\n"
    ".globl " SYMBOL "\n"
    ".p2align 4\n" SYMBOL ":\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n");

// Six registers, the entry, and the null that a backtrace from the entry ends at.
enum { SAVED_WORDS = 8, ENTRY_WORD = 6 };

#elif defined(__aarch64__) && !defined(_WIN32)

__asm__(
    ".text\n"
    ".globl " SYMBOL "\n"
    ".p2align 4\n" SYMBOL ":\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n");

// Twelve general and eight vector registers; the last of the general ones is the return address.
enum { SAVED_WORDS = 20, ENTRY_WORD = 11 };

#else
#define CANNOT_SWITCH 1
enum { SAVED_WORDS = 2, ENTRY_WORD = 0 };
void cil_switch(void **saved, void *next) {
  (void)saved;
  (void)next;
  __builtin_trap();
}
#endif

bool cil_can_switch(void) {
#if defined(CANNOT_SWITCH)
  return false;
#else
  return true;
#endif
}

void *cil_stack_prepare(void *end, void (*entry)(void)) {
  void **frame = (void **)((uintptr_t)end & ~(uintptr_t)15) - SAVED_WORDS;
  memset(frame, 0, SAVED_WORDS * sizeof *frame);
  frame[ENTRY_WORD] = (void *)entry;
  return frame;
}
