/// Code that is generic in a weak array's backend.
public protocol WeakArrayVisitor<Element, Output> {
  associatedtype Element: Sendable
  associatedtype Output
  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> Output
  where A.Element == Element
}

/// Code that is generic in a dictionary's backend.
public protocol DictionaryVisitor<Key, Value, Output> {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable
  associatedtype Output
  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async throws -> Output
  where D.Key == Key, D.Value == Value
}

/// Code that is generic in a weak set's backend.
public protocol WeakSetVisitor<Element, Output> {
  associatedtype Element: Sendable
  associatedtype Output
  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> Output
  where S.Element == Element
}

extension Backend {
  /// Runs `visitor` on this backend's weak array, as a concrete type: what it does is specialized.
  ///
  /// Traps unless `supporting(.weakArray)` has the backend.
  public func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output {
    switch self {
    case .barrierQueue: try await visitor.visit(BarrierQueueWeakArray<V.Element>.self)
    case .mutex: try await visitor.visit(MutexWeakArray<V.Element>.self)
    case .readWriteLock: try await visitor.visit(ReadWriteLockWeakArray<V.Element>.self)
    case .actor: try await visitor.visit(ActorWeakArray<V.Element>.self)
    case .adaptiveLock: try await visitor.visit(AdaptiveLockWeakArray<V.Element>.self)
    case .stripedLock, .bucketLock: preconditionFailure("expected a backend that has weak arrays")
    case .lockFree: try await visitor.visit(LockFreeWeakArray<V.Element>.self)
    }
  }

  /// Runs `visitor` on this backend's dictionary, as a concrete type: what it does is specialized.
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

  /// Runs `visitor` on this backend's weak set, as a concrete type: what it does is specialized.
  ///
  /// Traps unless `supporting(.weakSet)` has the backend.
  public func withWeakSet<V: WeakSetVisitor>(_ visitor: V) async throws -> V.Output {
    switch self {
    case .barrierQueue: try await visitor.visit(BarrierQueueWeakSet<V.Element>.self)
    case .mutex: try await visitor.visit(MutexWeakSet<V.Element>.self)
    case .readWriteLock: try await visitor.visit(ReadWriteLockWeakSet<V.Element>.self)
    case .actor: try await visitor.visit(ActorWeakSet<V.Element>.self)
    case .adaptiveLock: try await visitor.visit(AdaptiveLockWeakSet<V.Element>.self)
    case .stripedLock, .bucketLock: preconditionFailure("expected a backend that has weak sets")
    case .lockFree: try await visitor.visit(LockFreeWeakSet<V.Element>.self)
    }
  }
}
