/// A way to synchronize the threads that use a collection.
///
/// Every backend is always compiled. A build flag decides only which of them `AtomicWeakArray`,
/// `AtomicDictionary`, `AtomicWeakSet` and the factories use.
public enum Backend: String, CaseIterable, Sendable, Codable {
  /// A concurrent dispatch queue whose writers are barriers.
  case barrierQueue = "barrier-queue"
  /// `Synchronization.Mutex`.
  case mutex = "mutex"
  /// A POSIX read-write lock.
  case readWriteLock = "read-write-lock"
  /// An actor.
  case actor = "actor"
  /// A lock that spins briefly and then sleeps, and prefers running threads to sleeping ones.
  case adaptiveLock = "adaptive-lock"
  /// Adaptive locks, each for a fraction of the keys. Only for dictionaries.
  case stripedLock = "striped-lock"
  /// A lock in each cache line of the table; readers do not acquire it. Only for dictionaries.
  case bucketLock = "bucket-lock"
  /// Atomic operations and epoch reclamation, no lock.
  case lockFree = "lock-free"

  /// Returns the backends that implement an abstract type.
  public static func supporting(_ collection: CollectionKind) -> [Backend] {
    switch collection {
    case .dictionary: allCases
    case .weakArray, .weakSet: allCases.filter { ![.stripedLock, .bucketLock].contains($0) }
    }
  }

  /// Whether the operations never suspend, so that code without `await` can use the backend.
  public var isSynchronous: Bool { self != .actor }

  /// The trait that selects the backend, as in `.package(…, traits: ["MutexBackend"])`.
  public var trait: String { "\(typePrefix)Backend" }

  /// Returns the name of the Swift type that implements an abstract type, such as `MutexWeakArray`.
  public func typeName(for collection: CollectionKind) -> String {
    typePrefix + collection.typeSuffix
  }

  private var typePrefix: String {
    switch self {
    case .barrierQueue: "BarrierQueue"
    case .mutex: "Mutex"
    case .readWriteLock: "ReadWriteLock"
    case .actor: "Actor"
    case .adaptiveLock: "AdaptiveLock"
    case .stripedLock: "StripedLock"
    case .bucketLock: "BucketLock"
    case .lockFree: "LockFree"
    }
  }
}

/// The abstract types of this package.
public enum CollectionKind: String, CaseIterable, Sendable, Codable {
  /// A `ConcurrentWeakArray`.
  case weakArray = "weak-array"
  /// A `ConcurrentDictionary`.
  case dictionary = "dictionary"
  /// A `ConcurrentWeakSet`.
  case weakSet = "weak-set"

  fileprivate var typeSuffix: String {
    switch self {
    case .weakArray: "WeakArray"
    case .dictionary: "Dictionary"
    case .weakSet: "WeakSet"
    }
  }
}

// MARK: - Visitors

/// Code that is generic over the backend of a weak array; `Backend.withWeakArray(_:)` runs it.
public protocol WeakArrayVisitor<Element, Output> {
  /// The type of the array's elements.
  associatedtype Element: Sendable
  /// The type of the result.
  associatedtype Output
  /// Runs the code with the array type of one backend.
  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> Output
  where A.Element == Element
}

/// Code that is generic over the backend of a dictionary; `Backend.withDictionary(_:)` runs it.
public protocol DictionaryVisitor<Key, Value, Output> {
  /// The type of the dictionary's keys.
  associatedtype Key: Hashable & Sendable
  /// The type of the dictionary's values.
  associatedtype Value: Sendable
  /// The type of the result.
  associatedtype Output
  /// Runs the code with the dictionary type of one backend.
  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async throws -> Output
  where D.Key == Key, D.Value == Value
}

/// Code that is generic over the backend of a weak set; `Backend.withWeakSet(_:)` runs it.
public protocol WeakSetVisitor<Element, Output> {
  /// The type of the set's elements.
  associatedtype Element: Sendable
  /// The type of the result.
  associatedtype Output
  /// Runs the code with the set type of one backend.
  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> Output
  where S.Element == Element
}

extension Backend {
  /// Runs `visitor` with this backend's weak array as a concrete type, so that the compiler
  /// specializes the visitor's code.
  ///
  /// Traps if `supporting(.weakArray)` does not contain the backend.
  public func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output {
    switch self {
    case .barrierQueue: try await visitor.visit(BarrierQueueWeakArray<V.Element>.self)
    case .mutex: try await visitor.visit(MutexWeakArray<V.Element>.self)
    case .readWriteLock: try await visitor.visit(ReadWriteLockWeakArray<V.Element>.self)
    case .actor: try await visitor.visit(ActorWeakArray<V.Element>.self)
    case .adaptiveLock: try await visitor.visit(AdaptiveLockWeakArray<V.Element>.self)
    case .stripedLock, .bucketLock:
      fatalError("\(rawValue) has no weak array; use one of supporting(.weakArray)")
    case .lockFree: try await visitor.visit(LockFreeWeakArray<V.Element>.self)
    }
  }

  /// Runs `visitor` with this backend's dictionary as a concrete type, so that the compiler
  /// specializes the visitor's code.
  public func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output {
    switch self {
    case .barrierQueue: try await visitor.visit(BarrierQueueDictionary<V.Key, V.Value>.self)
    case .mutex: try await visitor.visit(MutexDictionary<V.Key, V.Value>.self)
    case .readWriteLock: try await visitor.visit(ReadWriteLockDictionary<V.Key, V.Value>.self)
    case .actor: try await visitor.visit(ActorDictionary<V.Key, V.Value>.self)
    case .adaptiveLock: try await visitor.visit(AdaptiveLockDictionary<V.Key, V.Value>.self)
    case .stripedLock: try await visitor.visit(StripedLockDictionary<V.Key, V.Value>.self)
    case .bucketLock: try await visitor.visit(BucketLockDictionary<V.Key, V.Value>.self)
    case .lockFree: try await visitor.visit(LockFreeDictionary<V.Key, V.Value>.self)
    }
  }

  /// Runs `visitor` with this backend's weak set as a concrete type, so that the compiler
  /// specializes the visitor's code.
  ///
  /// Traps if `supporting(.weakSet)` does not contain the backend.
  public func withWeakSet<V: WeakSetVisitor>(_ visitor: V) async throws -> V.Output {
    switch self {
    case .barrierQueue: try await visitor.visit(BarrierQueueWeakSet<V.Element>.self)
    case .mutex: try await visitor.visit(MutexWeakSet<V.Element>.self)
    case .readWriteLock: try await visitor.visit(ReadWriteLockWeakSet<V.Element>.self)
    case .actor: try await visitor.visit(ActorWeakSet<V.Element>.self)
    case .adaptiveLock: try await visitor.visit(AdaptiveLockWeakSet<V.Element>.self)
    case .stripedLock, .bucketLock:
      fatalError("\(rawValue) has no weak set; use one of supporting(.weakSet)")
    case .lockFree: try await visitor.visit(LockFreeWeakSet<V.Element>.self)
    }
  }
}
