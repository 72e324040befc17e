import Primitives
import WeakCollections

/// A weak array that counts the operations of a program on another array, in order to choose a
/// backend for that program.
///
/// It counts each operation in a stripe of the thread and forwards it. One operation in 256 also
/// counts the live elements. `compact` counts as an update and `count` as an iteration, as in the
/// measured workloads; `removeAll` does not count.
public final class RecordingWeakArray<Base: SynchronousWeakArray> {
  /// The type of the elements.
  public typealias Element = Base.Element

  /// The array that stores the elements.
  public let base: Base
  private let recorder = OperationRecorder()
  /// The number of elements removed through this array. Relaxed: it is an independent sum; pairs
  /// with the load in `churn`.
  private let removed = Atomic(0)
  private let countAtStart: Int

  /// Creates a recorder of the operations on `base`.
  public init(_ base: Base) {
    self.base = base
    countAtStart = base.count
  }

  /// The profile of all operations so far; nil if there were none. Exact while no thread uses the
  /// array.
  public var profile: WorkloadProfile? {
    recorder.shares.map { shares in
      let entries = recorder.entries { self.entries }
      return WorkloadProfile(
        collection: .weakArray, shares: shares, threads: recorder.threads,
        cores: Host.usableCores, entries: entries.mean, liveFraction: entries.liveFraction,
        churn: churn, synchronousOnly: true)
    }
  }

  /// The fraction of the operations that let an element die: the element was appended, is no longer
  /// present and was not removed.
  private var churn: Double {
    let gone = recorder.count(.insert) - removed.load(ordering: .relaxed)
    let died = countAtStart + gone - base.count
    return min(max(Double(died) / Double(max(1, recorder.operations)), 0), 1)
  }

  private func note(_ operation: OperationRecorder.Operation) {
    recorder.note(operation) { entries }
  }

  private var entries: (stored: Int, live: Int) { (base.entryCount, base.count) }
}

extension RecordingWeakArray: Sendable where Base: Sendable {}

extension RecordingWeakArray: SynchronousWeakArray, ConcurrentWeakArray {
  /// Creates a recorder of the operations on a new array.
  public convenience init() { self.init(Base()) }

  /// Counts an insertion and appends `element`.
  @discardableResult public func append(_ element: Element) -> Int {
    note(.insert)
    return base.append(element)
  }

  /// The live elements; reading them counts as an iteration.
  public var all: [Element] {
    note(.iterate)
    return base.all
  }

  /// The number of live elements; reading it counts as an iteration.
  public var count: Int {
    note(.iterate)
    return base.count
  }

  /// The number of stored entries; reading it does not count.
  public var entryCount: Int { base.entryCount }

  /// Counts an iteration and calls `body` with each live element.
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    note(.iterate)
    try base.forEach(body)
  }

  /// Counts a read and returns whether there is an entry for the identical object.
  public func contains(_ element: Element) -> Bool {
    note(.read)
    return base.contains(element)
  }

  /// Counts a removal and removes the earliest entry for the identical object; returns whether
  /// there was one.
  @discardableResult public func remove(_ element: Element) -> Bool {
    note(.remove)
    let wasThere = base.remove(element)
    if wasThere { removed.wrappingAdd(1, ordering: .relaxed) }
    return wasThere
  }

  /// Removes every entry, without counting an operation.
  public func removeAll() {
    removed.wrappingAdd(base.count, ordering: .relaxed)
    base.removeAll()
  }

  /// Counts an update and removes the entries of dead objects; returns the number of removed
  /// entries.
  @discardableResult public func compact() -> Int {
    note(.update)
    return base.compact()
  }
}

/// A dictionary that counts the operations of a program on another dictionary, in order to choose a
/// backend for that program.
///
/// It counts each operation in a stripe of the thread and forwards it. It does not count `count`
/// and `removeAll`, which no measured workload uses, and does not record the distribution of the
/// keys.
public final class RecordingDictionary<Base: SynchronousDictionary> {
  /// The type of the keys.
  public typealias Key = Base.Key
  /// The type of the values.
  public typealias Value = Base.Value

  /// The dictionary that stores the entries.
  public let base: Base
  private let recorder = OperationRecorder()

  /// Creates a recorder of the operations on `base`.
  public init(_ base: Base) { self.base = base }

  /// The profile of all operations so far; nil if there were none. Exact while no thread uses the
  /// dictionary.
  public var profile: WorkloadProfile? {
    recorder.shares.map { shares in
      WorkloadProfile(
        collection: .dictionary, shares: shares, threads: recorder.threads,
        cores: Host.usableCores, entries: recorder.entries { entries }.mean, synchronousOnly: true)
    }
  }

  private func note(_ operation: OperationRecorder.Operation, count: Int = 1) {
    recorder.note(operation, count: count) { entries }
  }

  private var entries: (stored: Int, live: Int) {
    let count = base.count
    return (count, count)
  }
}

extension RecordingDictionary: Sendable where Base: Sendable {}

extension RecordingDictionary: SynchronousDictionary, ConcurrentDictionary {
  /// Creates a recorder of the operations on a new dictionary.
  public convenience init() { self.init(Base()) }

  /// Counts a read and returns the value for `key`.
  public func value(forKey key: Key) -> Value? {
    note(.read)
    return base.value(forKey: key)
  }

  /// Counts a read of each key and returns the values for `keys`, in the same order.
  public func values(forKeys keys: [Key]) -> [Value?] {
    note(.read, count: keys.count)
    return base.values(forKeys: keys)
  }

  /// Counts a read and calls `body` with the value for `key`.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    note(.read)
    return try base.withValue(forKey: key, body)
  }

  /// Counts an insertion and sets the value for `key`.
  public func setValue(_ value: Value, forKey key: Key) {
    note(.insert)
    base.setValue(value, forKey: key)
  }

  /// Counts a removal and removes `key`; returns the value that it had.
  @discardableResult public func removeValue(forKey key: Key) -> Value? {
    note(.remove)
    return base.removeValue(forKey: key)
  }

  /// Counts an insertion, whether or not the key exists, as in the workload get-or-insert; returns
  /// the value for `key` or inserts the result of `makeValue`.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    note(.insert)
    return try base.value(forKey: key, orInsert: makeValue)
  }

  /// Counts an update and changes the value for `key` in one step; returns the result of `body`.
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    note(.update)
    return try base.update(key, body)
  }

  /// The number of keys; reading it does not count.
  public var count: Int { base.count }

  /// A copy with all keys and values; reading it counts as an iteration.
  public var snapshot: [Key: Value] {
    note(.iterate)
    return base.snapshot
  }

  /// Counts an iteration and calls `body` with each key and value of a snapshot.
  public func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    note(.iterate)
    try base.forEach(body)
  }

  /// Removes every key, without counting an operation.
  public func removeAll() { base.removeAll() }
}
