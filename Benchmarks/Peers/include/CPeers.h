// Hash maps of other languages, from 64-bit keys to 64-bit values, and the loop that times them.
// Without the trait `Peers` there are none, and nothing is linked.

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
  /// cds_lfht of liburcu, memb flavor; its call_rcu thread frees replaced and removed entries.
  CP_URCU,
  /// std::unordered_map under std::shared_mutex.
  CP_SHARED_MUTEX,
} cp_kind;

/// Returns whether this build has the maps.
bool cp_is_available(void);

typedef struct cp_map cp_map;

/// Creates an empty map for about `capacity` entries.
cp_map *cp_make(cp_kind kind, int64_t capacity);
/// Frees a map that no thread uses.
void cp_destroy(cp_map *map);

/// The operations of a worker, as in its table.
enum { CP_READ, CP_INSERT, CP_REMOVE };

/// The state of one worker, which only its thread uses: the same keys, operations and checks as
/// those of the Swift dictionaries' workers.
typedef struct {
  const int64_t *keys;
  int64_t key_count, next_key;
  const uint8_t *operations;
  int64_t operation_count, next_operation;
  /// Whether every second insert is a removal, and whether the next one is.
  bool turns_over, removes_next;
  /// Reads that found nothing.
  int64_t misses;
  /// Values that belong to another key.
  int64_t wrong_values;
} cp_worker;

/// Registers the calling thread, which is about to use the map.
void cp_enter(cp_map *map);
/// Unregisters the calling thread.
void cp_leave(cp_map *map);

/// Operates until `*stop` is true; returns the number of operations.
int64_t cp_operate_until(cp_map *map, cp_worker *worker, const bool *stop);
/// Makes `count` operations.
void cp_operate(cp_map *map, cp_worker *worker, int64_t count);

/// The state of one worker of the loop that draws inside, which only its thread uses. `DrawLoop` in
/// Swift describes the loop.
typedef struct {
  /// The state of the generator: the previous draw, or a seed other than 0.
  uint64_t draw;
  /// The number of keys, a power of two, minus 1.
  uint64_t key_mask;
  uint64_t replace_percent;
  /// The number of operations after which the loop ends, a multiple of `CP_CHUNK`.
  int64_t operation_limit;
  int64_t operations;
  /// The sum of all values that were read, so that no compiler removes a read.
  uint64_t sum;
  /// Reads that found nothing.
  int64_t misses;
} cp_draws;

/// The number of operations between two readings of the stop flag.
enum { CP_CHUNK = 1024 };

/// Runs the loop until `*stop` is true or the limit is reached.
void cp_run_loop(cp_map *map, cp_draws *draws, const bool *stop);

/// The same operations individually, for filling and verifying.
bool cp_get(cp_map *map, int64_t key, int64_t *value);
void cp_set(cp_map *map, int64_t key, int64_t value);
bool cp_remove(cp_map *map, int64_t key);
int64_t cp_count(cp_map *map);

#ifdef __cplusplus
}
#endif

#endif
