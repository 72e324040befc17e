import Primitives

/// Where the cores of a trial wait for each other while they warm up.
// @unchecked: cores are virtual threads of one thread of the system; `missing` is no step of theirs.
final class WarmUpEnd: @unchecked Sendable {
  private var missing: Int
  /// 1 when all have arrived. Alone on its lines: that is written after the cores have read theirs.
  private let hasEnded: Futex.Word

  init(cores: Int) {
    missing = cores
    hasEnded = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: Atomic<UInt32>.self, capacity: 1)
    hasEnded.initialize(to: Atomic(0))
  }

  deinit {
    noteLastRelease(of: self)
    hasEnded.deinitialize(count: 1)
    NodeMemory.deallocate(hasEnded)
  }

  func arrive() {
    missing -= 1
    if missing > 0 {
      while missing > 0 { Futex.wait(on: hasEnded, while: 0) }
      return
    }
    // Sequentially consistent: before the wake-up, and for a wait that begins later to see.
    hasEnded.pointee.store(1, ordering: .sequentiallyConsistent)
    Futex.wakeAll(on: hasEnded)
  }
}
