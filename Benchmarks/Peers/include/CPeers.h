// Other languages' hash maps from 64-bit keys to 64-bit values, and the loop that times them. Without
// the trait `Peers` there are none, and nothing is linked.

#ifndef CPEERS_H
#define CPEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maps.
typedef enum {
  /// tbb::concurrent_hash_map.
  CP_TBB,
  /// cds_lfht of liburcu, memb flavour; what is replaced or removed goes to its call_rcu thread.
  CP_URCU,
  /// std::unordered_map under std::shared_mutex.
  CP_SHARED_MUTEX,
} cp_kind;

/// Whether this build has them.
bool cp_is_available(void);

typedef struct cp_map cp_map;

/// An empty map with room for about so many entries.
cp_map *cp_make(cp_kind kind, int64_t capacity);
void cp_destroy(cp_map *map);

/// What a worker may do next, numbered for the table of operations.
enum { CP_READ, CP_INSERT, CP_REMOVE };

/// What one worker does, in numbers that only its thread uses: the same keys, operations and checks as
/// the workers of our dictionaries.
typedef struct {
  const int64_t *keys;
  int64_t key_count, next_key;
  const uint8_t *operations;
  int64_t operation_count, next_operation;
  /// Every other insert is a removal.
  bool turns_over, removes_next;
  /// Reads that found nothing.
  int64_t misses;
  /// Values that said they were another key's.
  int64_t strange_values;
} cp_worker;

/// The calling thread is about to use the map, or has done with it.
void cp_enter(cp_map *map);
void cp_leave(cp_map *map);

/// Operates until `*stop`; returns how often.
int64_t cp_operate_until(cp_map *map, cp_worker *worker, const bool *stop);
/// Operates `count` times.
void cp_operate(cp_map *map, cp_worker *worker, int64_t count);

/// The same operations one by one, for filling and verifying.
bool cp_get(cp_map *map, int64_t key, int64_t *value);
void cp_set(cp_map *map, int64_t key, int64_t value);
bool cp_remove(cp_map *map, int64_t key);
int64_t cp_count(cp_map *map);

#ifdef __cplusplus
}
#endif

#endif
