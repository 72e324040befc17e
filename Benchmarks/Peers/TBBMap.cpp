#ifdef PEERS
#include "Map.hpp"

#include <tbb/concurrent_hash_map.h>

namespace {

struct Compare {
  static size_t hash(int64_t key) { return peers::mixed(key); }
  static bool equal(int64_t a, int64_t b) { return a == b; }
};

class TBBMap {
  using Table = tbb::concurrent_hash_map<int64_t, int64_t, Compare>;
  Table table;

public:
  explicit TBBMap(int64_t capacity) : table(size_t(capacity)) {}
  void enter() {}
  void leave() {}

  bool get(int64_t key, int64_t &value) {
    Table::const_accessor found;
    if (!table.find(found, key)) return false;
    value = found->second;
    return true;
  }

  void set(int64_t key, int64_t value) {
    Table::accessor found;
    table.insert(found, key);
    found->second = value;
  }

  bool remove(int64_t key, int64_t &old) {
    Table::accessor found;
    if (!table.find(found, key)) return false;
    old = found->second;
    return table.erase(found);
  }

  int64_t count() { return int64_t(table.size()); }
};

} // namespace

cp_map *peers::make_tbb(int64_t capacity) { return new Timed<TBBMap>(capacity); }
#endif
