#ifdef PEERS
#include "Map.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace {

struct Hash {
  size_t operator()(int64_t key) const { return peers::mixed(key); }
};

class SharedMutexMap {
  std::shared_mutex mutex;
  std::unordered_map<int64_t, int64_t, Hash> table;

public:
  explicit SharedMutexMap(int64_t capacity) : table(size_t(capacity)) {}
  void enter() {}
  void leave() {}

  bool get(int64_t key, int64_t &value) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto found = table.find(key);
    if (found == table.end()) return false;
    value = found->second;
    return true;
  }

  void set(int64_t key, int64_t value) {
    std::unique_lock<std::shared_mutex> lock(mutex);
    table[key] = value;
  }

  bool remove(int64_t key, int64_t &old) {
    std::unique_lock<std::shared_mutex> lock(mutex);
    auto found = table.find(key);
    if (found == table.end()) return false;
    old = found->second;
    table.erase(found);
    return true;
  }

  int64_t count() {
    std::shared_lock<std::shared_mutex> lock(mutex);
    return int64_t(table.size());
  }
};

} // namespace

cp_map *peers::make_shared_mutex(int64_t capacity) { return new Timed<SharedMutexMap>(capacity); }
#endif
