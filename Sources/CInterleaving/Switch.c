// The switch between stacks. A switch is a function call, so the compiler has saved the registers
// that a call may change. The switch saves the others: the callee-saved registers and the stack
// pointer.
//
// A prepared stack has the contents that a switch would have saved: zeros for the registers, and
// the entry function as the return address. On x86-64 the stack pointer at the start of a function
// is 8 bytes off a multiple of 16, because the call pushed the return address; on arm64 it is
// always a multiple of 16.

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

// Six registers, the entry, and the null return address at which a backtrace ends.
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

// Twelve general registers, of which the last is the return address, and eight vector registers.
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
