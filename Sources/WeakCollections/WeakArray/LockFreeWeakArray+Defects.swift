import Primitives

extension LockFreeWeakArray {
  /// `Defect.slotReused`: puts `entry` into the slot of the first dead one, and frees that at once.
  func reuseDeadSlot(of slots: SlotArray, for entry: UnsafeMutableRawPointer) -> Int? {
    for index in 0..<slots.count {
      let old = slots[index]
      guard WeakEntry<Element>.promote(old) == nil else { continue }
      let (isOurs, _) = slots.slots[index].compareExchange(
        expected: old, desired: entry, ordering: .sequentiallyConsistent)
      guard isOurs else { continue }
      WeakEntry<Element>.reclaim(old)
      return index
    }
    return nil
  }
}
