// A weak array in generations. The root points to the current generation (`SlotArray`), into which
// threads append by filling the first free slot and then counting it; whoever finds a slot filled and
// not counted counts it first, so a stopped thread stops nobody. Everything else replaces the
// generation: the old one is frozen, so that no append can be counted in it any more; what is kept of
// it is copied; and the root is exchanged. Threads that find the current generation frozen or full
// replace it themselves, so again a stopped thread stops nobody.
//
// Invariants, beside those of `SlotArray`:
//  1. A generation that is not the current one is frozen.
//  2. Of those who replace one generation, one wins the root; it alone retires the old generation and
//     the entries it dropped. The others free what they made.
//  3. An entry is in the counted slots of the current generation, or retired, or its append is pending.
//
// Why a snapshot is linearizable. It loads the root (generation G), then G's count n, and promotes the
// first n entries, which never change. If G was not frozen when n was loaded, G was still current and
// the array held exactly these entries at that moment. If it was frozen, n is final; G was current when
// the root was loaded, and just before G's replacement, or at the load of n if G is current still, the
// array held exactly these entries, inside the snapshot's interval. If all n live, that is the moment.
// If some are dead, they may have died later than that; then the snapshot looks again whether G is the
// current generation and n its count. If so, the array holds these n entries now, and of them live
// exactly those that were promoted, which it keeps alive: now is the moment. If not, it starts anew.
//
// Progress: all operations are lock-free: each retry is caused by another operation's success. A
// snapshot in which nothing has died, `contains` and `entryCount` are wait-free, bounded by the entries.

import EpochReclamation
import Primitives

/// The weak array that no stopped thread can stop: lock-free, with epoch reclamation.
///
/// Entries of dead objects, and their side tables, are kept until two epochs after compaction; see
/// `EpochDomain` for the bound.
public final class LockFreeWeakArray<Element>: SynchronousWeakArray {
  private let domain: EpochDomain
  private let root: Atomic<UnsafeMutableRawPointer>

  /// Free slots in a new generation, beyond one for each live entry.
  private static var slack: Int { 8 }

  public convenience init() {
    self.init(domain: .shared)
  }

  /// An array whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    ReferenceLayout.require(Element.self)
    self.domain = domain
    root = Atomic(SlotArray([], capacity: Self.slack).memory)
  }

  deinit {
    noteLastRelease(of: self)
    // Nobody else has the array any more: its last release ordered everything before this.
    let slots = current
    for index in 0..<slots.count { WeakEntry<Element>.reclaim(slots[index]) }
    slots.deallocate()
  }

  @discardableResult
  public func append(_ element: Element) -> Int {
    let entry = WeakEntry<Element>.allocate(element)
    var promoted: [Element] = []  // Outlives the pin.
    return domain.pin {
      while true {
        let slots = current
        if Defect.slotReused.isPlanted, let index = reuseDeadSlot(of: slots, for: entry) {
          return index + 1
        }
        if let index = slots.append(entry) {
          slots.checkInvariants()
          return index + 1
        }
        replace(slots, compacting: slots.isFull, promoted: &promoted)
      }
    }
  }

  public var all: [Element] {
    var rejected: [[Element]] = []  // Outlives the pin.
    return domain.pin {
      while true {
        let slots = current
        let count = slots.count
        let elements = promoteAll(in: slots, count: count)
        if elements.count == count || Defect.noSecondLook.isPlanted
          || (slots.count == count && current == slots)
        {
          return elements
        }
        rejected.append(elements)
      }
    }
  }

  private func promoteAll(in slots: SlotArray, count: Int) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      if let element = WeakEntry<Element>.promote(slots[index]) { elements.append(element) }
    }
    return elements
  }

  public var entryCount: Int {
    domain.pin { current.count }
  }

  public func contains(_ element: Element) -> Bool {
    domain.pin { firstIndex(of: element, in: current) != nil }
  }

  /// Linearizes when the root is exchanged, or, finding nothing, as `contains` does.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    var promoted: [Element] = []
    return domain.pin {
      while true {
        let slots = current
        guard let index = firstIndex(of: element, in: slots) else { return false }
        if replace(slots, without: index, compacting: false, promoted: &promoted) != nil {
          return true
        }
      }
    }
  }

  /// Linearizes when the root is exchanged.
  public func removeAll() {
    domain.pin {
      while true {
        let slots = current
        let count = slots.freeze()
        if exchangeRoot(slots, for: [], dropped: (0..<count).map { slots[$0] }) { return }
      }
    }
  }

  @discardableResult
  public func compact() -> Int {
    var promoted: [Element] = []
    return domain.pin {
      while true {
        if let dropped = replace(current, compacting: true, promoted: &promoted) { return dropped }
      }
    }
  }

  private var current: SlotArray {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange in
    // `exchangeRoot`.
    SlotArray(memory: root.load(ordering: .sequentiallyConsistent))
  }

  private func firstIndex(of element: Element, in slots: SlotArray) -> Int? {
    let identity = ObjectIdentity(of: element)
    return (0..<slots.count).first { WeakEntry<Element>.refers(slots[$0], to: identity) }
  }

  /// Replaces a generation by one without the entry at `removed` and, if `compacting`, without dead ones.
  /// Returns how many dead ones were dropped, or nil when another thread replaced the generation first.
  @discardableResult
  private func replace(
    _ slots: SlotArray, without removed: Int? = nil, compacting: Bool, promoted: inout [Element]
  ) -> Int? {
    var kept: [UnsafeMutableRawPointer] = []
    var dropped: [UnsafeMutableRawPointer] = []
    let count = slots.freeze()
    kept.reserveCapacity(count)
    for index in 0..<count {
      let entry = slots[index]
      if index == removed {
        dropped.append(entry)
      } else if !compacting {
        kept.append(entry)
      } else if let element = WeakEntry<Element>.promote(entry) {
        promoted.append(element)
        kept.append(entry)
      } else {
        dropped.append(entry)
      }
    }
    let capacity = compacting ? 0 : slots.capacity
    guard exchangeRoot(slots, for: kept, capacity: capacity, dropped: dropped) else {
      return removed != nil && Defect.removeTakenForDone.isPlanted ? 0 : nil
    }
    return dropped.count - (removed == nil ? 0 : 1)
  }

  /// Makes a generation of `kept` the current one if `slots`, which is frozen, still is.
  ///
  /// It gets room for twice what is kept, or `capacity` if that is at most twice as much again.
  private func exchangeRoot(
    _ slots: SlotArray, for kept: [UnsafeMutableRawPointer], capacity: Int = 0,
    dropped: [UnsafeMutableRawPointer]
  ) -> Bool {
    let roomy = 2 * kept.count + Self.slack
    let isFit = kept.count < capacity && capacity <= 2 * roomy
    let replacement = SlotArray(kept, capacity: isFit ? capacity : roomy)
    HaltPoint.betweenAtomics.reach()
    // Sequentially consistent: the linearization point, and the unlinking of what is retired below;
    // publishes the new slots to whoever loads the root.
    let (isOurs, _) = root.compareExchange(
      expected: slots.memory, desired: replacement.memory, ordering: .sequentiallyConsistent)
    guard isOurs || Defect.loserGoesOn.isPlanted else {
      CurrentThread.noteFailedExchange()
      replacement.deallocate()
      return false
    }
    replacement.checkInvariants()
    if Defect.generationFreedAtOnce.isPlanted {
      slots.deallocate()
    } else {
      domain.retire(slots.memory, as: SlotArray.self)
    }
    for entry in dropped where !Defect.droppedNotRetired.isPlanted {
      domain.retire(entry, as: WeakEntry<Element>.self)
    }
    return true
  }
}

// @unchecked: what threads share is atomic or immutable; elements are shared only if they may be.
extension LockFreeWeakArray: @unchecked Sendable where Element: Sendable {}
