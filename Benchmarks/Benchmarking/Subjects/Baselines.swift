import Threading
import WeakCollections

/// A weak array that does nothing: a trial of it measures the benchmark's overhead.
final class EmptyWeakArray: SynchronousWeakArray, ConcurrentWeakArray, Sendable {
  typealias Element = Member

  func append(_ element: Member) -> Int { 0 }
  var all: [Member] { [] }
  var count: Int { 0 }
  var entryCount: Int { 0 }
  func contains(_ element: Member) -> Bool { true }
  func remove(_ element: Member) -> Bool { true }
  func removeAll() {}
  func compact() -> Int { 0 }
}

/// A weak set that does nothing: a trial of it measures the benchmark's overhead.
final class EmptyWeakSet: SynchronousWeakSet, ConcurrentWeakSet, Sendable {
  typealias Element = Member

  func insert(_ element: Member) -> WeakSetInsertion<Member> { (true, element, 0) }
  func contains(_ element: Member) -> Bool { true }
  func remove(_ element: Member) -> Bool { true }
  var all: [Member] { [] }
  var entryCount: Int { 0 }
  func removeAll() {}
  func compact() -> Int { 0 }
  func compact(atLeast goal: Int) -> Int { 0 }
}

/// A dictionary that does nothing: a trial of it measures the benchmark's overhead.
final class EmptyDictionary<Key: Hashable & Sendable, Value: Sendable>:
  SynchronousDictionary, ConcurrentDictionary, Sendable
{
  func value(forKey key: Key) -> Value? { nil }
  func setValue(_ value: Value, forKey key: Key) {}
  func removeValue(forKey key: Key) -> Value? { nil }
  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value { try makeValue() }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    var value: Value?
    return try body(&value)
  }

  var count: Int { 0 }
  var snapshot: [Key: Value] { [:] }
  func removeAll() {}
}

/// The standard library's dictionary without synchronization, for one thread at a time.
final class UnsynchronizedDictionary<Key: Hashable & Sendable, Value: Sendable>:
  // @unchecked: only one thread uses it at a time, and tasks synchronize when they pass it on.
  SynchronousDictionary, ConcurrentDictionary, @unchecked Sendable
{
  // A pointer, because accesses to a stored property would include run-time exclusivity checks.
  private let storage: UnsafeMutablePointer<[Key: Value]>

  init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: [:])
  }

  deinit {
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  func value(forKey key: Key) -> Value? { storage.pointee[key] }
  func setValue(_ value: Value, forKey key: Key) { storage.pointee[key] = value }
  func removeValue(forKey key: Key) -> Value? { storage.pointee.removeValue(forKey: key) }

  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let value = storage.pointee[key] { return value }
    let value = try makeValue()
    storage.pointee[key] = value
    return value
  }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    var value = storage.pointee[key]
    let result = try body(&value)
    storage.pointee[key] = value
    return result
  }

  var count: Int { storage.pointee.count }
  var snapshot: [Key: Value] { storage.pointee }
  func removeAll() { storage.pointee.removeAll() }
}

/// A separate dictionary for each worker: the cost of the same work without sharing.
struct UnsharedSubject: TrialSubject {
  private var subjects: [DictionarySubject<IntegerEntries>]

  init(_ specification: TrialSpecification) {
    subjects = (0..<specification.threads).map { _ in
      DictionarySubject(of: UnsynchronizedDictionary<Int, Int>.self, specification)
    }
  }

  mutating func start() {
    for index in subjects.indices { subjects[index].start() }
  }

  func fill(_ count: Int) async {
    for subject in subjects { await subject.fill(count) }
  }

  func empty() async {
    for subject in subjects { await subject.empty() }
  }

  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    subjects[index].worker(at: index, prefilled: prefilled)
  }

  func verify(_ findings: [WorkerFindings]) async -> String? {
    for (subject, finding) in zip(subjects, findings) {
      if let reason = await subject.verify([finding]) { return reason }
    }
    return nil
  }

  var lifetimes: LifetimeCounter? { nil }
}
