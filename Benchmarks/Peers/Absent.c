// The functions of a build without the trait `Peers`: no map is available, so no other is called.
#ifndef PEERS
#include "CPeers.h"

bool cp_is_available(void) { return false; }

cp_map *cp_make(cp_kind kind, int64_t capacity) {
  (void)kind, (void)capacity;
  __builtin_trap();
}
void cp_destroy(cp_map *map) { (void)map, __builtin_trap(); }

void cp_enter(cp_map *map) { (void)map, __builtin_trap(); }
void cp_leave(cp_map *map) { (void)map, __builtin_trap(); }

int64_t cp_operate_until(cp_map *map, cp_worker *worker, const bool *stop) {
  (void)map, (void)worker, (void)stop;
  __builtin_trap();
}
void cp_operate(cp_map *map, cp_worker *worker, int64_t count) {
  (void)map, (void)worker, (void)count;
  __builtin_trap();
}
void cp_run_loop(cp_map *map, cp_draws *draws, const bool *stop) {
  (void)map, (void)draws, (void)stop;
  __builtin_trap();
}

bool cp_get(cp_map *map, int64_t key, int64_t *value) {
  (void)map, (void)key, (void)value;
  __builtin_trap();
}
void cp_set(cp_map *map, int64_t key, int64_t value) {
  (void)map, (void)key, (void)value;
  __builtin_trap();
}
bool cp_remove(cp_map *map, int64_t key) { (void)map, (void)key, __builtin_trap(); }
int64_t cp_count(cp_map *map) { (void)map, __builtin_trap(); }
#else
// ISO C forbids an empty translation unit.
typedef int cp_absent;
#endif
