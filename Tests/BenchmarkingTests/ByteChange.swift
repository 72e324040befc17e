import Primitives
import Threading

@testable import Benchmarking

/// Memory of a known size.
enum Block {
  static func make(_ size: Int = 64) -> UnsafeMutableRawPointer {
    .allocate(byteCount: size, alignment: 16)
  }

  /// Allocates so many blocks, and keeps them.
  static func allocate(_ count: Int, of size: Int = 64) {
    for _ in 0..<count { consume(Int(bitPattern: make(size))) }
  }

  /// Allocates so many blocks, and then frees them all.
  static func allocateAndFree(_ count: Int, of size: Int = 64) {
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: count) { blocks in
      for index in 0..<count {
        blocks[index] = make(size)
        blocks[index].initializeMemory(as: UInt8.self, repeating: 1, count: size)
      }
      for index in 0..<count { blocks[index].deallocate() }
    }
  }
}

/// How memory changed, by the benchmark's count and by jemalloc's statistics.
struct ByteChange: Hashable {
  /// By the probe.
  var live: Int
  /// By the statistics, less what is cached; as `LiveBytes` has it.
  var statistics: Int
  var cached: Int
  var resident: Int
  var requests: Int

  /// What `body` changes, which runs while the probe counts.
  init(of body: () -> Void) {
    let probe = AllocatorProbe()
    // Once in vain: the runtime allocates for what it does the first time.
    _ = (Self.statistics, probe.bytes.live)
    let (statistics, before) = (Self.statistics, probe.bytes.live)
    body()
    live = probe.bytes.live - before
    let later = Self.statistics
    self.statistics = later.live - statistics.live
    cached = later.cached - statistics.cached
    resident = later.resident - statistics.resident
    requests = later.requests - statistics.requests
  }

  private static var statistics: (live: Int, cached: Int, resident: Int, requests: Int) {
    let live = LiveBytes.now!
    return (
      live, JemallocStatistics.cached!, JemallocStatistics.resident!,
      JemallocStatistics.smallRequests!
    )
  }
}

func change(_ body: () -> Void) -> ByteChange { ByteChange(of: body) }

/// What `body` changes on eight threads that still stand there after it.
///
/// - Parameter startedBefore: Whether they exist before, or belong to what is changed.
func changeOfThreads(
  startedBefore: Bool, _ body: @escaping @Sendable () -> Void
) -> ByteChange {
  let meetings = (0..<4).map { _ in Rendezvous(count: 9) }
  var threads: [OwnedThread] = []
  threads.reserveCapacity(8)
  func start() {
    for _ in 0..<8 {
      threads.append(
        OwnedThread {
          // A thread's caches are made when it first allocates.
          Block.allocateAndFree(1)
          meetings[0].arrive()
          meetings[1].arrive()
          body()
          meetings[2].arrive()
          meetings[3].arrive()
        })
    }
    meetings[0].arrive()
  }
  if startedBefore { start() }
  let change = change {
    if !startedBefore { start() }
    meetings[1].arrive()
    meetings[2].arrive()
  }
  meetings[3].arrive()
  for thread in threads { thread.join() }
  return change
}
