import Primitives

/// Elements promoted from slots, each with its slot.
struct SlotWalk<Element> {
  private struct Find {
    let slot: UnsafeMutablePointer<SlotSegment.Slot>
    let word: UInt
  }

  private(set) var elements: [Element] = []
  private var finds: [Find] = []

  mutating func add(_ segment: SlotSegment, _ range: Range<Int>) {
    for index in range {
      let word = segment[index]
      guard word.isEntry, let element = WeakEntry<Element>.promote(word.rawValue) else { continue }
      elements.append(element)
      finds.append(Find(slot: segment.slots + index, word: word.rawValue))
    }
  }

  /// Moves the elements whose slots no longer hold them to `rejected`; returns whether there were any.
  mutating func dropRemoved(into rejected: inout [Element]) -> Bool {
    if Defect.removedKept.isPlanted { return false }
    let removed = finds.indices.filter { index in
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange for a
      // tombstone.
      finds[index].slot.pointee.load(ordering: .sequentiallyConsistent) != finds[index].word
    }
    for index in removed.reversed() {
      rejected.append(elements.remove(at: index))
      finds.remove(at: index)
    }
    return !removed.isEmpty
  }
}
