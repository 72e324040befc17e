import Primitives

/// Where the cores of a trial wait for each other while they warm up.
// @unchecked: cores are virtual threads of one thread of the system; `missing` is no step of theirs.
final class WarmUpEnd: @unchecked Sendable {
  private var missing: Int
  /// Alone on its lines: some still leave it while others are counted.
  private let end: UnsafeMutablePointer<EventCounter>

  init(cores: Int) {
    missing = cores
    end = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: EventCounter.self, capacity: 1)
    end.initialize(to: EventCounter())
  }

  deinit {
    noteLastRelease(of: self)
    end.deinitialize(count: 1)
    NodeMemory.deallocate(end)
  }

  func arrive() {
    missing -= 1
    if missing == 0 { return end.pointee.signal() }
    while missing > 0 {
      let ticket = end.pointee.ticket()
      if missing > 0 { end.pointee.wait(for: ticket) }
    }
  }
}
