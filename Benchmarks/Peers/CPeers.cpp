#ifdef PEERS
#include "Map.hpp"

#include <cstdlib>

bool cp_is_available(void) { return true; }

cp_map *cp_make(cp_kind kind, int64_t capacity) {
  switch (kind) {
  case CP_TBB: return peers::make_tbb(capacity);
  case CP_URCU: return peers::make_urcu(capacity);
  case CP_SHARED_MUTEX: return peers::make_shared_mutex(capacity);
  }
  abort();
}

void cp_destroy(cp_map *map) { delete map; }

void cp_enter(cp_map *map) { map->enter(); }
void cp_leave(cp_map *map) { map->leave(); }

int64_t cp_operate_until(cp_map *map, cp_worker *worker, const bool *stop) {
  return map->operate_until(*worker, stop);
}
void cp_operate(cp_map *map, cp_worker *worker, int64_t count) { map->operate(*worker, count); }
void cp_run_loop(cp_map *map, cp_draws *draws, const bool *stop) { map->run_loop(*draws, stop); }

bool cp_get(cp_map *map, int64_t key, int64_t *value) { return map->get_one(key, *value); }
void cp_set(cp_map *map, int64_t key, int64_t value) { map->set_one(key, value); }
bool cp_remove(cp_map *map, int64_t key) { return map->remove_one(key); }
int64_t cp_count(cp_map *map) { return map->count(); }
#endif
