#ifdef PEERS
// Inlines the fast path of the read lock, as the manual of liburcu recommends for speed.
#define URCU_INLINE_SMALL_FUNCTIONS
#define _LGPL_SOURCE
#include <urcu/urcu-memb.h>
// Has to be included after the flavor.
#include <urcu/rculfhash.h>

#include "Map.hpp"

#include <cstddef>
#include <cstdlib>

namespace {

struct Entry {
  cds_lfht_node node;
  rcu_head head;
  int64_t key, value;
};

Entry *entry(cds_lfht_node *node) {
  return reinterpret_cast<Entry *>(reinterpret_cast<char *>(node) - offsetof(Entry, node));
}

int matches(cds_lfht_node *node, const void *key) {
  return entry(node)->key == *static_cast<const int64_t *>(key);
}

void free_entry(rcu_head *head) {
  free(reinterpret_cast<char *>(head) - offsetof(Entry, head));
}

void reclaim(cds_lfht_node *node) { urcu_memb_call_rcu(&entry(node)->head, free_entry); }

class URCUMap {
  cds_lfht *table;

  cds_lfht_node *find(int64_t key) {
    cds_lfht_iter position;
    cds_lfht_lookup(table, peers::mixed(key), matches, &key, &position);
    return cds_lfht_iter_get_node(&position);
  }

public:
  explicit URCUMap(int64_t capacity) {
    unsigned long size = 1;
    while (size < (unsigned long)capacity) size *= 2;
    // With accounting, a table of more than a few thousand entries grows by its number of entries.
    // Without, it grows whenever a chain has three entries, to hundreds of buckets per entry.
    table = cds_lfht_new_flavor(
        size, size, 0, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING, &urcu_memb_flavor, nullptr);
  }

  ~URCUMap() {
    urcu_memb_register_thread();
    urcu_memb_read_lock();
    cds_lfht_iter position;
    cds_lfht_first(table, &position);
    while (cds_lfht_node *node = cds_lfht_iter_get_node(&position)) {
      cds_lfht_next(table, &position);
      if (cds_lfht_del(table, node) == 0) reclaim(node);
    }
    urcu_memb_read_unlock();
    urcu_memb_unregister_thread();
    cds_lfht_destroy(table, nullptr);
    urcu_memb_barrier();
  }

  void enter() { urcu_memb_register_thread(); }
  void leave() { urcu_memb_unregister_thread(); }

  bool get(int64_t key, int64_t &value) {
    urcu_memb_read_lock();
    cds_lfht_node *node = find(key);
    if (node) value = entry(node)->value;
    urcu_memb_read_unlock();
    return node != nullptr;
  }

  void set(int64_t key, int64_t value) {
    Entry *added = static_cast<Entry *>(malloc(sizeof(Entry)));
    cds_lfht_node_init(&added->node);
    added->key = key;
    added->value = value;
    urcu_memb_read_lock();
    cds_lfht_node *old =
        cds_lfht_add_replace(table, peers::mixed(key), matches, &key, &added->node);
    if (old) reclaim(old);
    urcu_memb_read_unlock();
  }

  bool remove(int64_t key, int64_t &old) {
    urcu_memb_read_lock();
    cds_lfht_node *node = find(key);
    bool is_removed = node && cds_lfht_del(table, node) == 0;
    if (is_removed) {
      old = entry(node)->value;
      reclaim(node);
    }
    urcu_memb_read_unlock();
    return is_removed;
  }

  int64_t count() {
    unsigned long nodes;
    long before, after;
    urcu_memb_read_lock();
    cds_lfht_count_nodes(table, &before, &nodes, &after);
    urcu_memb_read_unlock();
    return int64_t(nodes);
  }
};

} // namespace

cp_map *peers::make_urcu(int64_t capacity) { return new Timed<URCUMap>(capacity); }
#endif
