import Primitives
import WeakCollections

/// A dictionary that counts what a program does with another, so that a backend can be chosen for that work.
///
/// Every operation is the other's, and counted in a tally of its thread's. `count` and `removeAll` are not
/// counted, as no measured work has them; nor is how keys are drawn.
public final class RecordingDictionary<Base: SynchronousDictionary> {
  public typealias Key = Base.Key
  public typealias Value = Base.Value

  /// The dictionary that does the work.
  public let base: Base
  private let recorder = OperationRecorder()

  /// Records what is done to `base` through it.
  public init(_ base: Base) { self.base = base }

  /// What was done until now; nil if nothing was. Exact while nobody uses the dictionary.
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

  /// Counts as an insertion, found or not, as in the workload get-or-insert.
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
