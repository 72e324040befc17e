// Exercises the stack switch on whatever machine it is compiled for: three stacks hand a number
// round, each with values in every register that a switch must preserve, and each checks its
// stack's alignment.

#include <CInterleaving.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACKS = 3, ROUNDS = 10000 };

static void *stack_pointers[STACKS];
static void *root;
static int current;
static long turns;

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "switch test: %s\n", what);
  exit(1);
}

static void go_on(void) {
  int previous = current;
  current = (current + 1) % STACKS;
  cil_switch(&stack_pointers[previous], stack_pointers[current]);
}

// More values of each kind than there are registers to preserve, all alive across the switch.
static void turn(long seed) {
  volatile long start = seed;
  long a = start + 1, b = start + 2, c = start + 3, d = start + 4, e = start + 5, f = start + 6;
  long g = start + 7, h = start + 8, i = start + 9, j = start + 10, k = start + 11, l = start + 12;
  double m = start + 1.5, n = start + 2.5, o = start + 3.5, p = start + 4.5, q = start + 5.5;
  double r = start + 6.5, s = start + 7.5, t = start + 8.5, u = start + 9.5, v = start + 10.5;
  go_on();
  turns++;
  long integers = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
  require(integers + 11 * k + 12 * l == 78 * start + 650, "an integer register is not preserved");
  double reals = m + 2 * n + 3 * o + 4 * p + 5 * q + 6 * r + 7 * s + 8 * t + 9 * u + 10 * v;
  require(reals == 55 * (double)start + 412.5, "a vector register is not preserved");
}

static void entry(void) {
  int mine = current;
  // A vector of 16 bytes is stored with an instruction that faults if the stack is not aligned.
  _Alignas(16) volatile char aligned[16] = {0};
  require(((uintptr_t)aligned & 15) == 0, "a new stack is not aligned");
  for (long round = 0; round < ROUNDS; round++) {
    turn(1000 * mine + round);
    require(current == mine, "a switch returned on another stack");
  }
  cil_switch(&stack_pointers[mine], root);
  require(false, "a stack went on after its end");
}

int main(void) {
  require(cil_can_switch(), "no switch on this machine");
  for (int i = 0; i < STACKS; i++) {
    void *end = cil_stack_create(64 << 10);
    require(end != NULL, "no memory for a stack");
    stack_pointers[i] = cil_stack_prepare(end, entry);
  }
  cil_switch(&root, stack_pointers[0]);
  require(turns >= STACKS * (ROUNDS - 1), "a stack was left out");
  printf("%ld switches\n", turns);
  return 0;
}
