import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading

/// A node that is marked when it is reclaimed; its memory stays until the test ends, so that a
/// reader which finds the mark is told apart from one that reads what came after.
private struct MarkedNode: Reclaimable {
  static let alive: UInt64 = 0x11fe_11fe_11fe_11fe

  var mark = MarkedNode.alive

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    let node = pointer.assumingMemoryBound(to: MarkedNode.self)
    node.pointee.mark = node.pointee.mark == alive ? 0 : 1  // Once only.
  }
}

// @unchecked: the slot is atomic, and each thread takes nodes from a part of its own.
private final class SwappedSlot: @unchecked Sendable {
  private let nodes: UnsafeMutablePointer<MarkedNode>
  private let count: Int
  private let slot: Atomic<UnsafeMutableRawPointer>

  init(count: Int) {
    self.count = count
    nodes = .allocate(capacity: count)
    nodes.initialize(repeating: MarkedNode(), count: count)
    slot = Atomic(UnsafeMutableRawPointer(nodes))
  }

  deinit { nodes.deallocate() }

  func exchange(for index: Int) -> UnsafeMutableRawPointer {
    // Sequentially consistent, as the domain asks of unlinking.
    slot.exchange(UnsafeMutableRawPointer(nodes + index), ordering: .sequentiallyConsistent)
  }

  /// Whether the node found is alive, at first and at a second look.
  func isAlive() -> Bool {
    // Sequentially consistent, as the domain asks of loads under a pin.
    let node = slot.load(ordering: .sequentiallyConsistent)
      .assumingMemoryBound(to: MarkedNode.self)
    let first = node.pointee.mark == MarkedNode.alive
    for _ in 0..<20 { spinHint() }
    return first && node.pointee.mark == MarkedNode.alive
  }

  /// How many nodes were reclaimed once, and how many more often.
  var reclaimed: (once: Int, again: Int) {
    let marks = (0..<count).map { nodes[$0].mark }
    return (marks.count { $0 == 0 }, marks.count { $0 == 1 })
  }
}

@Suite(.serialized) struct ChurnTests {
  @Test(arguments: [1, 3, 64])
  func `readers under a pin never find a reclaimed node`(_ capacity: Int) async {
    let writers = 3
    let swaps = TestOptions.operations(full: 20_000)
    let slot = SwappedSlot(count: writers * swaps + 1)
    let dead = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      let left = Atomic<Int>(writers)
      let threads = (0..<3).map { _ in
        Reader {
          var dead = 0
          // Relaxed: only ends the loop.
          while left.load(ordering: .relaxed) > 0 {
            if !domain.pin({ slot.isAlive() }) { dead += 1 }
          }
          return dead
        }
      }
      let swapping = (0..<writers).map { writer in
        OwnedThread {
          for number in 0..<swaps {
            let old = slot.exchange(for: 1 + writer * swaps + number)
            domain.retire(old, as: MarkedNode.self)
          }
          left.wrappingSubtract(1, ordering: .relaxed)
        }
      }
      for thread in swapping { thread.join() }
      let dead = threads.map { $0.join() }
      domain.advance()
      return dead.reduce(0, +)
    }
    #expect(dead == 0)
    #expect(slot.reclaimed == (writers * swaps, 0))
  }
}

extension ChurnTests {
  @Test func `what ended threads retired is reclaimed, although each left a bag of one entry`()
    async
  {
    let (lifetimes, later) = (LifetimeCounter(), LifetimeCounter())
    let (entries, capacity) = (600, 4)
    let rest = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      func retire(in lifetimes: LifetimeCounter) {
        OwnedThread { domain.retire(1, in: lifetimes) }.join()
      }
      let reader = PinnedThread(pinning: domain)
      for _ in 0..<entries { retire(in: lifetimes) }
      reader.end()
      // The bound in the comment of `EpochDomain`, for the reader and one thread at a time.
      let retires = (7 * capacity + 3 * entries / capacity) * 2
      for _ in 0..<retires where lifetimes.live > 0 { retire(in: later) }
      return lifetimes.live
    }
    #expect(rest == 0)
  }
}

/// A thread that counts something.
private final class Reader: Sendable {
  private let total = Atomic<Int>(0)
  private let thread = Mutex<OwnedThread?>(nil)

  init(_ body: @escaping @Sendable () -> Int) {
    // Relaxed: joining the thread orders it before the reading.
    let started = OwnedThread { [self] in total.store(body(), ordering: .relaxed) }
    thread.withLock { $0 = started }
  }

  func join() -> Int {
    thread.withLock { $0 }?.join()
    return total.load(ordering: .relaxed)
  }
}
