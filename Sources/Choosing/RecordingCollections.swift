import Primitives
import WeakCollections

/// A weak array that counts the operations of a program on another one, to choose a backend for
/// that program.
///
/// It counts each operation in a stripe of the thread and forwards it; one operation in 256 also
/// counts the live elements. `compact` counts as an update and `count` as an iteration, as in the
/// workloads; `removeAll` is not counted.
public final class RecordingWeakArray<Base: SynchronousWeakArray> {
  public typealias Element = Base.Element

  /// The array that stores the elements.
  public let base: Base
  private let recorder = OperationRecorder()
  /// The number of elements removed through this array. Relaxed: it is an independent sum; pairs
  /// with the load in `churn`.
  private let removed = Atomic(0)
  private let countAtStart: Int

  /// Creates a recorder of operations on `base`.
  public init(_ base: Base) {
    self.base = base
    countAtStart = base.count
  }

  /// The profile of all operations until now; nil without any. Exact while no thread uses the
  /// array.
  public var profile: WorkloadProfile? {
    recorder.shares.map { shares in
      let size = recorder.size { self.size }
      return WorkloadProfile(
        collection: .weakArray, shares: shares, threads: recorder.threads,
        cores: Host.usableCores, size: size.entries, liveFraction: size.liveFraction, churn: churn,
        synchronousOnly: true)
    }
  }

  /// The fraction of the operations that let an element die: appended, no longer present and not
  /// removed.
  private var churn: Double {
    let gone = recorder.count(.insert) - removed.load(ordering: .relaxed)
    let died = countAtStart + gone - base.count
    return min(max(Double(died) / Double(max(1, recorder.operations)), 0), 1)
  }

  private func note(_ operation: OperationRecorder.Operation) {
    recorder.note(operation) { size }
  }

  private var size: (entries: Int, live: Int) { (base.entryCount, base.count) }
}

extension RecordingWeakArray: Sendable where Base: Sendable {}

extension RecordingWeakArray: SynchronousWeakArray {
  public convenience init() { self.init(Base()) }

  @discardableResult public func append(_ element: Element) -> Int {
    note(.insert)
    return base.append(element)
  }

  public var all: [Element] {
    note(.iterate)
    return base.all
  }

  public var count: Int {
    note(.iterate)
    return base.count
  }

  public var entryCount: Int { base.entryCount }

  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    note(.iterate)
    try base.forEach(body)
  }

  public func contains(_ element: Element) -> Bool {
    note(.read)
    return base.contains(element)
  }

  @discardableResult public func remove(_ element: Element) -> Bool {
    note(.remove)
    let wasThere = base.remove(element)
    if wasThere { removed.wrappingAdd(1, ordering: .relaxed) }
    return wasThere
  }

  public func removeAll() {
    removed.wrappingAdd(base.count, ordering: .relaxed)
    base.removeAll()
  }

  @discardableResult public func compact() -> Int {
    note(.update)
    return base.compact()
  }
}

/// A dictionary that counts the operations of a program on another one, to choose a backend for
/// that program.
///
/// It counts each operation in a stripe of the thread and forwards it. It counts neither `count`
/// and `removeAll`, which no measured workload has, nor the distribution of the keys.
public final class RecordingDictionary<Base: SynchronousDictionary> {
  public typealias Key = Base.Key
  public typealias Value = Base.Value

  /// The dictionary that stores the entries.
  public let base: Base
  private let recorder = OperationRecorder()

  /// Creates a recorder of operations on `base`.
  public init(_ base: Base) { self.base = base }

  /// The profile of all operations until now; nil without any. Exact while no thread uses the
  /// dictionary.
  public var profile: WorkloadProfile? {
    recorder.shares.map { shares in
      WorkloadProfile(
        collection: .dictionary, shares: shares, threads: recorder.threads,
        cores: Host.usableCores, size: recorder.size { size }.entries, synchronousOnly: true)
    }
  }

  private func note(_ operation: OperationRecorder.Operation, count: Int = 1) {
    recorder.note(operation, count: count) { size }
  }

  private var size: (entries: Int, live: Int) {
    let count = base.count
    return (count, count)
  }
}

extension RecordingDictionary: Sendable where Base: Sendable {}

extension RecordingDictionary: SynchronousDictionary {
  public convenience init() { self.init(Base()) }

  public func value(forKey key: Key) -> Value? {
    note(.read)
    return base.value(forKey: key)
  }

  public func values(forKeys keys: [Key]) -> [Value?] {
    note(.read, count: keys.count)
    return base.values(forKeys: keys)
  }

  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    note(.read)
    return try base.withValue(forKey: key, body)
  }

  public func setValue(_ value: Value, forKey key: Key) {
    note(.insert)
    base.setValue(value, forKey: key)
  }

  @discardableResult public func removeValue(forKey key: Key) -> Value? {
    note(.remove)
    return base.removeValue(forKey: key)
  }

  /// Counts as an insertion whether or not the key exists, as in the workload get-or-insert.
  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    note(.insert)
    return base.value(forKey: key, orInsert: makeValue)
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    note(.update)
    return try base.update(key, body)
  }

  public var count: Int { base.count }

  public var snapshot: [Key: Value] {
    note(.iterate)
    return base.snapshot
  }

  public func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    note(.iterate)
    try base.forEach(body)
  }

  public func removeAll() { base.removeAll() }
}
