import EpochReclamation
import Primitives

/// The entries of a dictionary whose keys are not equal to themselves, such as `Double.nan`.
///
/// No key finds such an entry, so a table would gain nothing from it, and a writer that moves it to
/// another table could not tell whether another thread has moved it already. As in `Dictionary`,
/// each insertion adds an entry, and only removing all keys removes it.
struct IrreflexiveEntries<Key: Hashable, Value>: ~Copyable {
  private let entries = MutexLock<[(Key, Value)]>([])
  private let total = Atomic<Int>(0)

  init() {}

  /// Whether `key`, which is about to be inserted into `owner`, belongs here. A constant for
  /// numbers and strings.
  @inline(__always)
  static func contain(_ key: Key, _ owner: AnyObject) -> Bool {
    KeyCoding<Key>.runsUserCode && KeyCoding<Key>.guarding(owner) { key != key }
  }

  /// The number of entries.
  var count: Int {
    // Relaxed: exact while no thread writes, which some other synchronization must guarantee.
    total.load(ordering: .relaxed)
  }

  borrowing func append(_ key: Key, _ value: Value) {
    entries.write {
      $0.append((key, value))
      total.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// Runs the body of an `update` of `owner`, which finds no value, and adds what it sets.
  borrowing func update<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ domain: EpochDomain,
    _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    var new: Value?
    let result = try CriticalSection.hold(owner) { () throws(F) in
      try domain.withoutQuickPins { () throws(F) in try body(&new) }
    }
    if let new { append(key, new) }
    return result
  }

  /// A copy of all entries.
  var all: [(Key, Value)] {
    count == 0 ? [] : entries.read { $0 }
  }

  /// Removes and returns all entries.
  borrowing func removeAll() -> [(Key, Value)] {
    if count == 0 { return [] }
    return entries.write { entries in
      defer { entries = [] }
      total.wrappingSubtract(entries.count, ordering: .relaxed)
      return entries
    }
  }
}

// @unchecked: only the lock accesses the entries; threads share them only if they are Sendable.
extension IrreflexiveEntries: @unchecked Sendable {}
