import Primitives
import WeakReferences

/// An array property that does not keep its elements alive.
///
/// ```swift
/// @WeakArray var delegates: [any MyDelegate] = []
/// $delegates.append(delegate)
/// ```
///
/// Reading the property creates an array of the live elements in order, with duplicates. Not
/// thread-safe, like any other property; `AtomicWeakArray` is.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type. Adding an element of
/// any other type traps.
///
/// - Complexity: reading and writing the property are O(*n*). So `delegates.append(x)`, a read and
///   a write, rebuilds the array; `$delegates.append(x)` is amortized O(1).
@propertyWrapper
public struct WeakArray<Element> {
  private var storage = WeakArrayStorage<Element>()

  /// Creates an empty array.
  public init() {}

  /// Creates an array that refers to the elements of `wrappedValue`, in order.
  ///
  /// - Complexity: O(*n*).
  public init(wrappedValue: [Element]) {
    self.wrappedValue = wrappedValue
  }

  /// The live elements in order. Assigning replaces all entries.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var wrappedValue: [Element] {
    get { storage.promoteAll() }
    set { storage = WeakArrayStorage(newValue) }
  }

  /// The wrapper itself. Its `append(_:)` and `compact()` do not rebuild the array.
  public var projectedValue: WeakArray {
    get { self }
    _modify { yield &self }
  }

  /// Appends `element` without rebuilding the array.
  ///
  /// - Complexity: O(1) amortized.
  public mutating func append(_ element: Element) {
    var promoted = PromotedObjects()
    _ = storage.append(element, promoted: &promoted)
  }

  /// Removes the entries of dead objects.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var promoted = PromotedObjects()
    return storage.compact(promoted: &promoted)
  }
}

extension WeakArray: Sendable where Element: Sendable {}

/// The weak references of an array in the order in which they were appended; `WeakArray` and the
/// locking backends share this sequential implementation.
///
/// To find out which objects are alive, it has to promote some of them. A promoted reference may be
/// the last one when it is released, and its release then runs a `deinit`. So the storage adds such
/// references to `promoted`, which the caller releases outside its lock.
///
/// Invariants:
///  1. There are at most 2 × live + 64 entries, where live is counted at the last compaction.
///  2. There are as many witness tables as slots, or none if `Element` has none.
public struct WeakArrayStorage<Element> {
  private(set) var slots: [WeakSlot] = []
  private(set) var witnesses: [WitnessTables] = []
  /// When the array has this number of entries, an append compacts first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }

  init() {}

  init(_ elements: [Element]) {
    elements.forEach { add($0) }
    entryLimit = Self.limit(forLive: elements.count)
  }

  /// The number of entries, including those of dead objects that were not removed yet.
  var entryCount: Int { slots.count }

  /// Appends an entry; returns the number of entries afterwards.
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

  /// Returns the live elements in order.
  func promoteAll() -> [Element] {
    [Element](capacity: slots.count) { elements, count in count = promoteAll(to: elements) }
  }

  /// Returns the live elements in order, for visiting them without an array.
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

  /// Returns the number of live objects, as of one moment.
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

  /// Removes the entries of objects that are dead at one moment; returns the number of removed
  /// entries.
  ///
  /// An object may die while others are checked, even between the checks of its two entries. So the
  /// function repeats until a pass finds no dead object: all remaining ones were alive when that
  /// pass began.
  mutating func compact(promoted: inout PromotedObjects) -> Int {
    let entryCount = entryCount
    while removeDead(promoted: &promoted) > 0 {}
    return entryCount - self.entryCount
  }

  /// Removes the entries of objects that one pass finds dead; returns the number of removed
  /// entries.
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

  /// Keeps the first `count` entries and removes the others. Reallocates the storage if most of its
  /// capacity is unused.
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

  /// Traps if there are more entries than the last compaction allows, or an entry without its
  /// tables.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(
        entryCount <= entryLimit,
        "\(entryCount) entries exceed the limit of \(entryLimit) set by the last compaction")
      let witnessCount = ReferenceLayout.witnessCount(of: Element.self) > 0 ? entryCount : 0
      precondition(
        witnesses.count == witnessCount,
        "\(witnesses.count) witness tables for \(entryCount) entries, expected \(witnessCount)")
    #endif
  }
}

// @unchecked: threads that share the storage only read its slots, and may share the elements only
// if `Element` is Sendable.
extension WeakArrayStorage: @unchecked Sendable where Element: Sendable {}

// MARK: - Snapshots

/// Retained elements in a separate allocation, which are visited one after the other.
///
/// Visiting moves each element out and releases it after its call. An array would retain each
/// element once more.
struct PromotedElements<Element>: ~Copyable {
  private let first: UnsafeMutablePointer<Element>
  let count: Int
  private var visitedCount = 0

  /// Creates the elements.
  ///
  /// - Parameters:
  ///   - capacity: The largest number of elements.
  ///   - initialize: Writes elements to the uninitialized memory, from its beginning, and returns
  ///     their number. Traps if that exceeds the capacity.
  @inline(__always)
  init(capacity: Int, initializingWith initialize: (UnsafeMutablePointer<Element>) -> Int) {
    first = .allocate(capacity: capacity)
    count = initialize(first)
    guard count <= capacity else {
      fatalError("the closure initialized more elements than the capacity")
    }
  }

  deinit {
    (first + visitedCount).deinitialize(count: count - visitedCount)
    first.deallocate()
  }

  /// Calls `body` with each element, in order. If `body` throws, releases the remaining elements.
  @inline(__always)
  consuming func visit<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    while visitedCount < count {
      let element = (first + visitedCount).move()
      visitedCount += 1
      try body(element)
    }
  }
}

/// Returns how many of `entryCount` objects are alive at one moment, without promoting all of them.
///
/// An object may die while others are checked, even between the checks of its two entries. A dead
/// object stays dead. So two passes that find the same number alive have found the same objects,
/// which were alive at the moment between the passes. If the first pass finds all objects alive,
/// one pass is enough.
///
/// - Parameters:
///   - entryCount: The number of objects.
///   - walk: Checks each object once and returns the number of live ones.
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
  /// Creates an array of at most `capacity` elements that `body` initializes, in order, and counts.
  ///
  /// `init(unsafeUninitializedCapacity:)` would also store the count of an array without capacity.
  /// All empty arrays of a process share one storage, so threads that take empty snapshots would
  /// race for its count.
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
