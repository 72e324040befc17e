import Primitives
import WeakReferences

/// Weak references in the order of their appending: the sequential heart of the backends that lock.
///
/// To learn which objects live, some have to be promoted. A promoted reference may be the last one by the
/// time it is let go, and its release then runs a `deinit`; so such references go to `promoted`, which the
/// caller lets go outside its lock.
///
/// Invariants:
///  1. At most 2 × live + 64 entries, with live counted at the last compaction.
///  2. As many witness tables as slots, or none if `Element` has none.
public struct WeakArrayStorage<Element> {
  private(set) var slots: [WeakSlot] = []
  private(set) var witnesses: [WitnessTables] = []
  /// Reaching it makes the next append compact first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }

  init() {}

  init(_ elements: [Element]) {
    elements.forEach { add($0) }
    entryLimit = Self.limit(forLive: elements.count)
  }

  /// The number of entries, unnoticed dead ones included.
  var entryCount: Int { slots.count }

  /// Adds an entry behind all others; returns the number of entries after it.
  mutating func append(_ element: Element, promoted: inout PromotedObjects) -> Int {
    if slots.count >= entryLimit { removeDead(promoted: &promoted) }
    add(element)
    checkInvariants()
    return slots.count
  }

  private mutating func add(_ element: Element) {
    ReferenceLayout.require(Element.self)
    slots.append(WeakSlot(ReferenceLayout.object(of: element)))
    if Self.hasWitnesses { witnesses.append(WitnessTables(of: element)) }
  }

  /// The live elements in order.
  func promoteAll() -> [Element] {
    [Element](capacity: slots.count) { elements, count in count = promoteAll(to: elements) }
  }

  /// The same, not yet in an array.
  func promotedElements() -> PromotedElements<Element> {
    PromotedElements(capacity: slots.count) { promoteAll(to: $0) }
  }

  @inline(__always)
  private func promoteAll(to elements: UnsafeMutablePointer<Element>) -> Int {
    slots.withUnsafeBufferPointer { slots in
      var count = 0
      for index in slots.indices {
        guard let object = WeakSlot.promoteUnmanaged(at: slots.baseAddress! + index) else {
          continue
        }
        let tables = Self.hasWitnesses ? witnesses[index] : nil
        WitnessTables.initialize(elements + count, to: object, tables)
        count += 1
      }
      return count
    }
  }

  /// How many objects live, as of one moment.
  func liveCount(promoted: inout PromotedObjects) -> Int {
    countAtOneMoment(of: slots.count) {
      slots.indices.count { !isDead(at: $0, promoted: &promoted) }
    }
  }

  func contains(_ element: Element) -> Bool {
    firstIndex(of: element) != nil
  }

  /// Removes the earliest entry of the identical object; returns whether there was one.
  mutating func remove(_ element: Element) -> Bool {
    guard let index = firstIndex(of: element) else { return false }
    slots.remove(at: index)
    if Self.hasWitnesses { witnesses.remove(at: index) }
    return true
  }

  /// Removes the entries whose object is gone, as of one moment; returns how many.
  ///
  /// Objects die while others are asked, one that has two entries between the two questions. So it goes on
  /// until a walk finds none dead: all that were left lived when that walk began.
  mutating func compact(promoted: inout PromotedObjects) -> Int {
    let entryCount = entryCount
    while removeDead(promoted: &promoted) > 0 {}
    return entryCount - self.entryCount
  }

  /// Removes the entries whose object is found dead; returns how many.
  @discardableResult
  private mutating func removeDead(promoted: inout PromotedObjects) -> Int {
    var live = 0
    for index in slots.indices where !isDead(at: index, promoted: &promoted) {
      if live != index { moveEntry(from: index, to: live) }
      live += 1
    }
    let deadCount = slots.count - live
    truncate(to: live)
    entryLimit = Self.limit(forLive: live)
    checkInvariants()
    return deadCount
  }

  private func isDead(at index: Int, promoted: inout PromotedObjects) -> Bool {
    slots.withUnsafeBufferPointer {
      WeakSlot.isDead(at: $0.baseAddress! + index, promoted: &promoted)
    }
  }

  private mutating func moveEntry(from source: Int, to target: Int) {
    slots.swapAt(source, target)
    if Self.hasWitnesses { witnesses.swapAt(source, target) }
  }

  /// Drops the entries from `count` on, and with them most of the memory if little of it is left in use.
  private mutating func truncate(to count: Int) {
    slots.removeLast(slots.count - count)
    if Self.hasWitnesses { witnesses.removeLast(witnesses.count - count) }
    guard slots.capacity > 4 * Self.limit(forLive: count) else { return }
    slots = Array(unsafeUninitializedCapacity: count) { fresh, initialized in
      initialized = slots.withUnsafeBufferPointer { fresh.initialize(fromContentsOf: $0) }
    }
    witnesses = witnesses.map { $0 }
  }

  private func firstIndex(of element: Element) -> Int? {
    let identity = ObjectIdentity(of: element)
    return slots.withUnsafeBufferPointer { slots in
      slots.indices.first { WeakSlot.refers(at: slots.baseAddress! + $0, to: identity) }
    }
  }

  private static var hasWitnesses: Bool { ReferenceLayout.witnessCount(of: Element.self) > 0 }
  private static func limit(forLive live: Int) -> Int { 2 * live + slack }
}

// @unchecked: its slots are only read where it is shared; what they yield is shared only if `Element` may be.
extension WeakArrayStorage: @unchecked Sendable where Element: Sendable {}
