import Primitives
import WeakReferences

/// An array property that does not keep its elements alive.
///
/// ```swift
/// @WeakArray var delegates: [any MyDelegate] = []
/// $delegates.append(delegate)
/// ```
///
/// Reading the property makes an array of the live elements in order, with duplicates. Not
/// thread-safe, like any other property; `AtomicWeakArray` is.
///
/// - Complexity: reading and writing the property are O(*n*), so that `delegates.append(x)`, a read
///   and a write, rebuilds the array; `$delegates.append(x)` is O(1) amortized.
@propertyWrapper
public struct WeakArray<Element> {
  private var storage = WeakArrayStorage<Element>()

  public init() {}

  public init(wrappedValue: [Element]) {
    self.wrappedValue = wrappedValue
  }

  /// The live elements; assigning replaces all entries.
  public var wrappedValue: [Element] {
    get { storage.promoteAll() }
    set { storage = WeakArrayStorage(newValue) }
  }

  /// The wrapper itself, whose `append(_:)` and `compact()` do not rebuild the array.
  public var projectedValue: WeakArray {
    get { self }
    _modify { yield &self }
  }

  /// Adds an element behind all others without rebuilding the array.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func append(_ element: Element) {
    var promoted = PromotedObjects()
    _ = storage.append(element, promoted: &promoted)
  }

  /// Removes the entries of dead objects; returns the number removed.
  @discardableResult
  public mutating func compact() -> Int {
    var promoted = PromotedObjects()
    return storage.compact(promoted: &promoted)
  }
}

extension WeakArray: Sendable where Element: Sendable {}

/// Weak references in the order in which they were appended: the sequential array that `WeakArray`
/// and the backends that lock share.
///
/// To find which objects are alive, it has to promote some. A promoted reference may be the last
/// one when it is released, and the release then runs a `deinit`. So such references go to
/// `promoted`, which the caller releases outside its lock.
///
/// Invariants:
///  1. At most 2 × live + 64 entries, with live counted at the last compaction.
///  2. As many witness tables as slots, or none if `Element` has none.
public struct WeakArrayStorage<Element> {
  private(set) var slots: [WeakSlot] = []
  private(set) var witnesses: [WitnessTables] = []
  /// The number of entries at which the next append compacts first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }

  init() {}

  init(_ elements: [Element]) {
    elements.forEach { add($0) }
    entryLimit = Self.limit(forLive: elements.count)
  }

  /// The number of entries, including unnoticed dead ones.
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

  /// The number of live objects, as of one moment.
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

  /// Removes the entries of dead objects, as of one moment; returns the number removed.
  ///
  /// Objects die while others are checked; one that has two entries may die between the two checks.
  /// So it goes on until a walk finds none dead: all that were left were alive when that walk
  /// began.
  mutating func compact(promoted: inout PromotedObjects) -> Int {
    let entryCount = entryCount
    while removeDead(promoted: &promoted) > 0 {}
    return entryCount - self.entryCount
  }

  /// Removes the entries whose object it finds dead; returns the number removed.
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

  /// Drops the entries from `count` on, and with them most of the memory if little of it is left in
  /// use.
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

  /// Traps unless there are at most as many entries as the last compaction allows, each with its
  /// tables.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(
        entryCount <= entryLimit, "stored entries are at most twice the live ones and 64 more")
      let witnessCount = ReferenceLayout.witnessCount(of: Element.self) > 0 ? entryCount : 0
      precondition(witnesses.count == witnessCount, "each entry has its witness tables")
    #endif
  }
}

// @unchecked: its slots are only read where it is shared; what they yield is shared only if
// `Element` may be.
extension WeakArrayStorage: @unchecked Sendable where Element: Sendable {}

// MARK: - Snapshots

/// Elements kept alive in memory of their own, to be passed on one by one.
///
/// Each is moved out, and released after its call. An array would retain each element once more.
struct PromotedElements<Element>: ~Copyable {
  private let first: UnsafeMutablePointer<Element>
  let count: Int
  private var visitedCount = 0

  /// - Parameter initialize: Puts elements into the uninitialized memory, from the front, and
  ///   returns their number.
  @inline(__always)
  init(capacity: Int, initializingWith initialize: (UnsafeMutablePointer<Element>) -> Int) {
    first = .allocate(capacity: capacity)
    count = initialize(first)
    precondition(count <= capacity, "no more elements are promoted than there is room for")
  }

  deinit {
    (first + visitedCount).deinitialize(count: count - visitedCount)
    first.deallocate()
  }

  /// Calls `body` with each element, in order; releases the others if it throws.
  @inline(__always)
  consuming func visit<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    while visitedCount < count {
      let element = (first + visitedCount).move()
      visitedCount += 1
      try body(element)
    }
  }
}

/// Returns how many of `entryCount` objects are alive, as of one moment, without promoting each.
///
/// Objects die while they are checked; one that has two entries may die between the two checks. A
/// dead object stays dead, so two walks that find the same number alive find the same objects: they
/// were alive at the moment between the walks. If all are alive, they were before the first walk
/// too.
///
/// - Parameter walk: Checks each object once; returns the number of live ones.
@inline(__always)
func countAtOneMoment(of entryCount: Int, _ walk: () -> Int) -> Int {
  var live = entryCount
  while true {
    let found = walk()
    if found == live { return live }
    live = found
  }
}

// Used by the snapshots of every collection.
extension Array {
  /// Creates an array of at most `capacity` elements, which `body` writes from the pointer on and
  /// counts.
  ///
  /// `init(unsafeUninitializedCapacity:)` would also store the count of an array without capacity.
  /// All empty arrays of a process share that one: threads that take empty snapshots would race for
  /// it.
  @inline(__always)
  init(
    capacity: Int, filledBy body: (UnsafeMutablePointer<Element>, inout Int) -> Void
  ) {
    guard capacity > 0 else {
      self = []
      return
    }
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      body(buffer.baseAddress.unsafelyUnwrapped, &count)
    }
  }

  /// Calls `body` with each element, as `forEach` does, and throws its typed error.
  func visit<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    for index in indices { try body(self[index]) }
  }
}
