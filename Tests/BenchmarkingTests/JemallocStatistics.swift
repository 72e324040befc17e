#if Jemalloc
  import CJemalloc
#endif

/// jemalloc's own statistics, which the benchmark does not use. They are outdated until a refresh,
/// and include caches, unlike the benchmark's figures.
enum JemallocStatistics {
  static var allocated: Int? { read("stats.allocated") }
  static var resident: Int? { read("stats.resident") }
  static var cached: Int? { read("stats.arenas.4096.tcache_bytes") }
  static var smallRequests: Int? { read("stats.arenas.4096.small.nrequests") }
  /// The number of refreshes. The other statistics change only at a refresh.
  static var epoch: Int? { read("epoch") }

  #if Jemalloc
    /// Refreshes the statistics.
    static func refresh() {
      var epoch: UInt64 = 1
      mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
    }

    /// Returns all unused pages to the system.
    static func purge() {
      mallctl("arena.4096.purge", nil, nil, nil, 0)
    }

    private static func read(_ name: String) -> Int? {
      var value = 0
      var size = MemoryLayout<Int>.size
      return mallctl(name, &value, &size, nil, 0) == 0 ? value : nil
    }
  #else
    static func refresh() {}
    static func purge() {}
    private static func read(_ name: String) -> Int? { nil }
  #endif
}
