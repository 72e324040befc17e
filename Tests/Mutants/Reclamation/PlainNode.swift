import EpochReclamation
import Primitives

/// A node that holds a number: made, read, retired and reclaimed as the nodes of our structures are.
enum PlainNode: Reclaimable {
  static func make(_ number: Int) -> UnsafeMutableRawPointer {
    let node = NodeMemory.allocate(Int.self)
    node.writing().initialize(to: number)
    return UnsafeMutableRawPointer(node)
  }

  static func number(of node: UnsafeMutableRawPointer) -> Int {
    node.assumingMemoryBound(to: Int.self).reading().pointee
  }

  static func reclaim(_ node: UnsafeMutableRawPointer) {
    node.assumingMemoryBound(to: Int.self).writing().deinitialize(count: 1)
    NodeMemory.deallocate(node)
  }
}

/// The smallest structure there is: one slot, with one node in it at any time.
// @unchecked: the node is atomic, and its memory the domain's care.
final class NodeSlot: @unchecked Sendable {
  private let node: Atomic<UnsafeMutableRawPointer>
  let domain: EpochDomain

  init(_ domain: EpochDomain) {
    self.domain = domain
    node = Atomic(PlainNode.make(0))
  }

  deinit {
    noteLastRelease(of: self)
    // Relaxed: nobody else has the slot any more.
    PlainNode.reclaim(node.load(ordering: .relaxed))
  }

  /// Reads the node under a pin.
  @discardableResult
  func read() -> Int {
    domain.pin { readPinned() }
  }

  /// Reads the node; the caller has pinned.
  @discardableResult
  func readPinned() -> Int {
    // Sequentially consistent, as is every load of a structure under a pin.
    PlainNode.number(of: node.load(ordering: .sequentiallyConsistent))
  }

  /// Reads the node under a pin, and once more after other threads' steps: a scheduler runs them only
  /// between two atomic ones.
  func readLong() {
    domain.pin {
      // Sequentially consistent, as every load of a structure under a pin.
      let node = node.load(ordering: .sequentiallyConsistent)
      for _ in 0..<2 {
        _ = PlainNode.number(of: node)
        readPinned()
      }
      _ = PlainNode.number(of: node)
    }
  }

  /// Puts another node in the place of the one that is there, and retires that.
  func replace(_ number: Int) {
    // Sequentially consistent, as whoever retires must have unlinked.
    let old = node.exchange(PlainNode.make(number), ordering: .sequentiallyConsistent)
    domain.retire(old, as: PlainNode.self)
  }
}
