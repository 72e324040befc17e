import EpochReclamation
import Primitives

/// A fixed number of slots of a lock-free weak array, filled from the front.
///
/// One allocation: the capacity, then the slots. Invariants: a slot goes from free to something once; an
/// entry goes to a tombstone once; nothing else changes.
struct SlotSegment: Equatable {
  typealias Slot = Atomic<UInt>

  static let largestCapacity = 1024

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Slots of which the first hold `entries`.
  init(_ entries: ArraySlice<UInt>, capacity: Int) {
    precondition(entries.count <= capacity, "entries fit into their slots")
    memory = NodeMemory.allocate(
      byteCount: Self.slotsOffset + capacity * MemoryLayout<Slot>.stride,
      alignment: MemoryLayout<Slot>.alignment)
    memory.bindMemory(to: Int.self, capacity: 1).writing().initialize(to: capacity)
    let slots = (memory + Self.slotsOffset).bindMemory(to: Slot.self, capacity: capacity)
    var next = slots
    for entry in entries {
      next.initialize(to: Slot(entry))
      next += 1
    }
    while next < slots + capacity {
      next.initialize(to: Slot(SlotWord.free.rawValue))
      next += 1
    }
  }

  /// Gives the slots back, not the entries.
  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var capacity: Int { memory.assumingMemoryBound(to: Int.self).reading().pointee }

  var slots: UnsafeMutablePointer<Slot> {
    (memory + Self.slotsOffset).assumingMemoryBound(to: Slot.self)
  }

  subscript(index: Int) -> SlotWord {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange that
    // filled the slot, or with that of the root, which published the segment.
    SlotWord(rawValue: slots[index].load(ordering: .sequentiallyConsistent))
  }

  private static var slotsOffset: Int { MemoryLayout<Int>.stride }
}

extension SlotSegment: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    SlotSegment(memory: pointer).deallocate()
  }
}
