import Interleaving
import Testing

struct CacheCoherenceTests {
  @Test func `accesses to a line that is in the core's own cache are hits`() {
    var caches = CacheCoherence()
    #expect(caches.access(64, by: 3, isWrite: false) == .fetchFromMemory)
    #expect(caches.state(of: 64) == .exclusive)
    #expect(caches.access(127, by: 3, isWrite: true) == .hit)
    #expect(caches.state(of: 64) == .modified)
    #expect(caches.access(64, by: 3, isWrite: false) == .hit)
    #expect(caches.state(of: 128) == .invalid)
  }

  @Test func `readers share a line, and a write invalidates their copies`() {
    var caches = CacheCoherence()
    _ = caches.access(0, by: 0, isWrite: true)
    #expect(caches.access(0, by: 127, isWrite: false) == .transfer)
    #expect(caches.state(of: 0) == .shared)
    #expect(caches.access(0, by: 0, isWrite: false) == .hit)
    #expect(caches.access(0, by: 0, isWrite: true) == .transfer)
    #expect(caches.access(0, by: 127, isWrite: false) == .transfer)
  }

  @Test func `a line that two cores write in turn is transferred each time, even at two addresses`()
  {
    var caches = CacheCoherence()
    _ = caches.access(0, by: 0, isWrite: true)
    let costs = (1...10).map { caches.access(UInt($0 % 2 * 8), by: $0 % 2, isWrite: true) }
    #expect(costs.allSatisfy { $0 == .transfer })
  }

  @Test func `only lines that several cores access count as shared`() {
    var count = SharingCount<String>()
    for core in 0..<3 {
      count.access(UInt(core) * 64, of: "own", by: core, isWrite: true, isCounted: true)
      count.access(1024, of: "common", by: core, isWrite: core == 2, isCounted: true)
    }
    #expect(count.sharedUses(of: "own") == .init())
    let common = count.sharedUses(of: "common")
    #expect((common.reads, common.writes, common.transfers) == (2, 1, 2))
  }

  @Test func `accesses that are not counted still transfer lines`() {
    var count = SharingCount<Int>()
    count.access(0, of: 0, by: 1, isWrite: true, isCounted: false)
    count.access(0, of: 0, by: 2, isWrite: true, isCounted: true)
    count.access(0, of: 0, by: 1, isWrite: false, isCounted: true)
    #expect(count.sharedUses(of: 0).transfers == 2)
  }

  @Test func `a core's allocation reuses the memory of the same size that the core freed last`() {
    var memory = CoreMemory()
    let first = memory.allocate(byteCount: 40, by: 1, isApart: false)
    let second = memory.allocate(byteCount: 40, by: 1, isApart: false)
    #expect(second == first + 48)
    memory.deallocate(first, by: 2)
    #expect(memory.allocate(byteCount: 40, by: 1, isApart: false) == second + 48)
    #expect(memory.allocate(byteCount: 16, by: 2, isApart: false) != first)
    #expect(memory.allocate(byteCount: 48, by: 2, isApart: false) == first)
    #expect(memory.allocate(byteCount: 8, by: 2, isApart: true) % 128 == 0)
  }
}
