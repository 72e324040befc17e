// The common parts of all peers: the interface that the C functions call, and the timed loops over
// a concrete map, whose operations the compiler can inline.

#ifndef CPEERS_MAP_HPP
#define CPEERS_MAP_HPP

#include "CPeers.h"

struct cp_map {
  virtual ~cp_map() {}
  virtual void enter() {}
  virtual void leave() {}
  virtual int64_t operate_until(cp_worker &worker, const bool *stop) = 0;
  virtual void operate(cp_worker &worker, int64_t count) = 0;
  virtual void run_loop(cp_draws &draws, const bool *stop) = 0;
  virtual bool get_one(int64_t key, int64_t &value) = 0;
  virtual void set_one(int64_t key, int64_t value) = 0;
  virtual bool remove_one(int64_t key) = 0;
  virtual int64_t count() = 0;
};

namespace peers {

/// A cheap hash, sufficient for tables that use its lower bits and for those that use its upper
/// bits.
inline uint64_t mixed(int64_t key) {
  uint64_t product = uint64_t(key) * 0x9E3779B97F4A7C15u;
  return product ^ (product >> 32);
}

/// The first value of a key, the same as in `KeyedValue` of the benchmark.
inline int64_t first_value(int64_t key) { return key << 40; }

/// The loops over a map with `get`, `set` and `remove`.
template <class Map> struct Timed : cp_map {
  Map map;
  explicit Timed(int64_t capacity) : map(capacity) {}

  void enter() override { map.enter(); }
  void leave() override { map.leave(); }

  int64_t operate_until(cp_worker &shared, const bool *stop) override {
    // A local copy, so that it can stay in registers, as the Swift workers do.
    cp_worker worker = shared;
    int64_t operations = 0;
    // Relaxed: the flag only signals a time, and publishes no other memory.
    while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
      for (int i = 0; i < 16; i++) step(worker);
      operations += 16;
    }
    shared = worker;
    return operations;
  }

  void operate(cp_worker &shared, int64_t count) override {
    cp_worker worker = shared;
    for (int64_t i = 0; i < count; i++) step(worker);
    shared = worker;
  }

  void run_loop(cp_draws &shared, const bool *stop) override {
    cp_draws draws = shared;
    do {
      for (int i = 0; i < CP_CHUNK; i++) {
        draws.draw ^= draws.draw << 13;
        draws.draw ^= draws.draw >> 7;
        draws.draw ^= draws.draw << 17;
        int64_t key = int64_t(draws.draw & draws.key_mask), value;
        if ((draws.draw >> 32) * 100 >> 32 < draws.replace_percent) {
          map.set(key, int64_t(draws.draw));
        } else if (map.get(key, value)) {
          draws.sum += uint64_t(value);
        } else {
          draws.misses++;
        }
      }
      draws.operations += CP_CHUNK;
      // Relaxed, as above.
    } while (draws.operations < draws.operation_limit && !__atomic_load_n(stop, __ATOMIC_RELAXED));
    shared = draws;
  }

  bool get_one(int64_t key, int64_t &value) override { return map.get(key, value); }
  void set_one(int64_t key, int64_t value) override { map.set(key, value); }
  bool remove_one(int64_t key) override { int64_t old; return map.remove(key, old); }
  int64_t count() override { return map.count(); }

private:
  inline __attribute__((always_inline)) void step(cp_worker &worker) {
    int64_t key = worker.keys[worker.next_key];
    if (++worker.next_key == worker.key_count) worker.next_key = 0;
    uint8_t operation = worker.operations[worker.next_operation];
    if (++worker.next_operation == worker.operation_count) worker.next_operation = 0;
    if (operation == CP_READ) {
      int64_t value;
      if (map.get(key, value)) check(worker, value, key);
      else worker.misses++;
      return;
    }
    if (operation == CP_INSERT && worker.turns_over) {
      worker.removes_next = !worker.removes_next;
      if (!worker.removes_next) operation = CP_REMOVE;
    }
    if (operation == CP_INSERT) return map.set(key, first_value(key));
    int64_t old;
    if (map.remove(key, old)) check(worker, old, key);
  }

  static inline void check(cp_worker &worker, int64_t value, int64_t key) {
    __asm__ volatile("" : : "r"(value));
    if (value >> 40 != key) worker.wrong_values++;
  }
};

cp_map *make_tbb(int64_t capacity);
cp_map *make_urcu(int64_t capacity);
cp_map *make_shared_mutex(int64_t capacity);

} // namespace peers

#endif
