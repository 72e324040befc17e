import EpochReclamation
import Interleaving
import WeakCollections

/// A kind of collection under test: a name and a factory.
package struct Subject: Sendable {
  // Collections under test.
  package typealias WeakArray = any ConcurrentWeakArray<StressObject> & Sendable
  package typealias WeakSet = any ConcurrentWeakSet<StressObject> & Sendable
  package typealias Dictionary = any ConcurrentDictionary<StressKey, StressObject> & Sendable

  /// A closure that creates an empty collection, which retires nodes to the domain in the argument.
  package enum Maker: Sendable {
    case weakArray(@Sendable (EpochDomain) -> WeakArray)
    case dictionary(@Sendable (EpochDomain) -> Dictionary)
    case weakSet(@Sendable (EpochDomain) -> WeakSet)
  }

  /// The name for `--backend`.
  package let name: String
  /// The factory.
  package let maker: Maker
  /// The orderings that the managed scheduler weakens; none for the backends of this package.
  package var weakenings: [Weakening] = []
  /// Whether a suspended thread must not block other threads, except in `update`.
  package var isLockFree = false
  /// How threads pin the domain that the collection gets.
  package var pinning = EpochDomain.Pinning.standard

  package init(_ name: String, weakArray make: @escaping @Sendable (EpochDomain) -> WeakArray) {
    self.name = name
    maker = .weakArray(make)
  }

  package init(_ name: String, dictionary make: @escaping @Sendable (EpochDomain) -> Dictionary) {
    self.name = name
    maker = .dictionary(make)
  }

  package init(_ name: String, weakSet make: @escaping @Sendable (EpochDomain) -> WeakSet) {
    self.name = name
    maker = .weakSet(make)
  }

  package var collection: CollectionKind {
    switch maker {
    case .weakArray: .weakArray
    case .dictionary: .dictionary
    case .weakSet: .weakSet
    }
  }

  /// Whether no operation suspends. Re-entrant objects and schedules need such a subject.
  package var isSynchronous: Bool {
    switch maker {
    case .weakArray(let make): make(.shared) is any SynchronousWeakArray
    case .dictionary(let make): make(.shared) is any SynchronousDictionary
    case .weakSet(let make): make(.shared) is any SynchronousWeakSet
    }
  }
}

extension Subject: CustomStringConvertible {
  package var description: String { "\(collection.rawValue) \(name)" }
}

/// The backends of this package. A dictionary that stores integer keys in its table, and others in
/// nodes, appears with both kinds of keys.
package enum BackendCatalog {
  package static let subjects =
    (Backend.supporting(.dictionary).map(dictionary) + numbered
    + Backend.supporting(.weakArray).map(weakArray)
    + Backend.supporting(.weakSet).map(weakSet)).map { subject in
      var subject = subject
      subject.isLockFree = subject.name.hasPrefix(Backend.lockFree.rawValue)
      return subject
    }

  // Pins are asymmetric from the second one on: only these take the short path for integer keys
  // (`EpochDomain.pinQuickly`).
  private static let numbered = [
    Subject("lock-free-numbers") { domain -> Subject.Dictionary in
      NumberedDictionary(LockFreeDictionary(domain: domain, leastCapacity: 2))
    },
    Subject("bucket-lock-numbers") { domain -> Subject.Dictionary in
      NumberedDictionary(BucketLockDictionary(domain: domain, leastSize: 1))
    },
  ].map { subject in
    var subject = subject
    subject.pinning = .asymmetric(afterPins: 0)
    return subject
  }

  private static func weakArray(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.WeakArray in
      switch backend {
      case .barrierQueue: BarrierQueueWeakArray<StressObject>()
      case .mutex: MutexWeakArray<StressObject>()
      case .readWriteLock: ReadWriteLockWeakArray<StressObject>()
      case .actor: ActorWeakArray<StressObject>()
      case .adaptiveLock: AdaptiveLockWeakArray<StressObject>()
      case .stripedLock, .bucketLock:
        fatalError("\(backend.rawValue) has no weak array")
      case .lockFree: LockFreeWeakArray<StressObject>(domain: domain)
      }
    }
  }

  private static func weakSet(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.WeakSet in
      switch backend {
      case .barrierQueue: BarrierQueueWeakSet<StressObject>()
      case .mutex: MutexWeakSet<StressObject>()
      case .readWriteLock: ReadWriteLockWeakSet<StressObject>()
      case .actor: ActorWeakSet<StressObject>()
      case .adaptiveLock: AdaptiveLockWeakSet<StressObject>()
      case .stripedLock, .bucketLock:
        fatalError("\(backend.rawValue) has no weak set")
      case .lockFree: LockFreeWeakSet<StressObject>(domain: domain)
      }
    }
  }

  private static func dictionary(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.Dictionary in
      switch backend {
      case .barrierQueue: BarrierQueueDictionary<StressKey, StressObject>()
      case .mutex: MutexDictionary<StressKey, StressObject>()
      case .readWriteLock: ReadWriteLockDictionary<StressKey, StressObject>()
      case .actor: ActorDictionary<StressKey, StressObject>()
      case .adaptiveLock: AdaptiveLockDictionary<StressKey, StressObject>()
      case .stripedLock: StripedLockDictionary<StressKey, StressObject>()
      // One bucket initially, so that few keys make it grow.
      case .bucketLock: BucketLockDictionary<StressKey, StressObject>(domain: domain, leastSize: 1)
      // Two cells initially, so that few keys make it grow.
      case .lockFree: LockFreeDictionary<StressKey, StressObject>(domain: domain, leastCapacity: 2)
      }
    }
  }
}

/// The key of a dictionary under test. Its hash is the same in every process, so that a schedule
/// can be replayed. Keys 0 and 1 have the same hash, as have 2 and 3 and so on.
public struct StressKey: Hashable, Sendable {
  /// The number of the key in its scenario, from 0.
  public let number: Int

  package init(_ number: Int) { self.number = number }

  // Pairs of keys share a hash, so that probes are longer than one cell.
  /// Half of the number, rounded down.
  public var hashValue: Int { number / 2 }

  /// Feeds half of the number, rounded down, into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(number / 2) }

  // `Dictionary` seeds its hashes with its address, so the order of its keys would differ between
  // executions. `removeAll` releases values in that order, and a `deinit` can take steps.
  /// Returns half of the number, rounded down, whatever the seed is.
  public func _rawHashValue(seed: Int) -> Int { number / 2 }
}

/// A dictionary with `StressKey`s, on top of one with `Int` keys. The table stores an `Int` itself,
/// but a `StressKey` in a node.
final class NumberedDictionary<Inner: SynchronousDictionary<Int, StressObject> & Sendable>:
  SynchronousDictionary, ConcurrentDictionary, Sendable
{
  private let inner: Inner

  init(_ inner: Inner) {
    self.inner = inner
  }

  convenience init() {
    self.init(Inner())
  }

  func value(forKey key: StressKey) -> StressObject? { inner.value(forKey: key.number) }

  func values(forKeys keys: [StressKey]) -> [StressObject?] {
    inner.values(forKeys: keys.map(\.number))
  }

  func setValue(_ value: StressObject, forKey key: StressKey) {
    inner.setValue(value, forKey: key.number)
  }

  @discardableResult
  func removeValue(forKey key: StressKey) -> StressObject? {
    inner.removeValue(forKey: key.number)
  }

  func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    try inner.value(forKey: key.number, orInsert: makeValue)
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
  ) throws(F) -> R {
    try inner.update(key.number, body)
  }

  var count: Int { inner.count }

  var snapshot: [StressKey: StressObject] {
    var snapshot: [StressKey: StressObject] = [:]
    for (number, value) in inner.snapshot { snapshot[StressKey(number)] = value }
    return snapshot
  }

  func removeAll() { inner.removeAll() }
}
