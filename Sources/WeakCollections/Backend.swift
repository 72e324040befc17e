/// How a collection keeps its threads from disturbing each other.
///
/// Every backend is always compiled; a build flag decides only what `AtomicWeakArray`,
/// `AtomicDictionary` and the factories name.
public enum Backend: String, CaseIterable, Sendable, Codable {
  /// A concurrent dispatch queue whose writers are barriers.
  case barrierQueue = "barrier-queue"
  /// `Synchronization.Mutex`.
  case mutex = "mutex"
  /// A POSIX read-write lock.
  case readWriteLock = "read-write-lock"
  /// An actor.
  case actor = "actor"
  /// A lock that spins briefly and then sleeps, and lets running threads pass sleeping ones.
  case adaptiveLock = "adaptive-lock"
  /// Such locks, each for a part of the keys. Dictionaries alone.
  case stripedLock = "striped-lock"
  /// A lock in each cache line of the table, which readers do not look at. Dictionaries alone.
  case bucketLock = "bucket-lock"
  /// Atomic operations and epoch reclamation, no lock.
  case lockFree = "lock-free"

  /// The backends that exist for an abstract type.
  public static func supporting(_ collection: CollectionKind) -> [Backend] {
    switch collection {
    case .dictionary: allCases
    case .weakArray, .weakSet: allCases.filter { ![.stripedLock, .bucketLock].contains($0) }
    }
  }

  /// Whether its operations never suspend, so that code without `await` can use it.
  public var isSynchronous: Bool { self != .actor }

  /// The trait that selects it, as in `swift build --traits MutexBackend`.
  public var trait: String { "\(typePrefix)Backend" }

  /// The name of its Swift type for an abstract type, as in `MutexWeakArray`.
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
  case weakArray = "weak-array"
  case dictionary = "dictionary"
  case weakSet = "weak-set"

  fileprivate var typeSuffix: String {
    switch self {
    case .weakArray: "WeakArray"
    case .dictionary: "Dictionary"
    case .weakSet: "WeakSet"
    }
  }
}
