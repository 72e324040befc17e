// The meaning of the published names. The build flag is a trait. Without one, the names mean a
// default that people chose from the committed measurements, and which changes only in a major
// version. `CShims/BackendTraits.c` rejects two traits.

#if BarrierQueueBackend
  public typealias AtomicWeakArray<Element> = BarrierQueueWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = BarrierQueueDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = BarrierQueueWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    BarrierQueueWeakValueDictionary<Key, Value>
#elseif MutexBackend
  public typealias AtomicWeakArray<Element> = MutexWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = MutexDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = MutexWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    MutexWeakValueDictionary<Key, Value>
#elseif ReadWriteLockBackend
  public typealias AtomicWeakArray<Element> = ReadWriteLockWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = ReadWriteLockDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = ReadWriteLockWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    ReadWriteLockWeakValueDictionary<Key, Value>
#elseif AdaptiveLockBackend
  public typealias AtomicWeakArray<Element> = AdaptiveLockWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = AdaptiveLockDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = AdaptiveLockWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    AdaptiveLockWeakValueDictionary<Key, Value>
#elseif StripedLockBackend
  public typealias AtomicWeakArray<Element> = AdaptiveLockWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = StripedLockDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = AdaptiveLockWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    AdaptiveLockWeakValueDictionary<Key, Value>
#elseif BucketLockBackend
  public typealias AtomicWeakArray<Element> = LockFreeWeakArray<Element>
  public typealias AtomicDictionary<Key: Hashable, Value> = BucketLockDictionary<Key, Value>
  public typealias AtomicWeakSet<Element> = LockFreeWeakSet<Element>
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    LockFreeWeakValueDictionary<Key, Value>
#else
  /// The weak array for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// It stays synchronous when the flag says `ActorBackend`.
  public typealias AtomicWeakArray<Element> = LockFreeWeakArray<Element>

  /// The dictionary for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// It stays synchronous when the flag says `ActorBackend`.
  public typealias AtomicDictionary<Key: Hashable, Value> = LockFreeDictionary<Key, Value>

  /// The weak set for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// It stays synchronous when the flag says `ActorBackend`.
  public typealias AtomicWeakSet<Element> = LockFreeWeakSet<Element>

  /// The dictionary with weak values, an exact interner: the backend that the build flag selects,
  /// or the default.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    LockFreeWeakValueDictionary<Key, Value>
#endif

/// Returns an empty weak array of the backend that the build flag selects, including the actor; for
/// code with `await`.
public func makeWeakArray<Element: Sendable>(
  of element: Element.Type = Element.self
) -> some ConcurrentWeakArray<Element> & Sendable {
  #if ActorBackend
    ActorWeakArray<Element>()
  #else
    AtomicWeakArray<Element>()
  #endif
}

/// Returns an empty dictionary of the backend that the build flag selects, including the actor; for
/// code with `await`.
public func makeDictionary<Key: Hashable & Sendable, Value: Sendable>(
  from key: Key.Type = Key.self, to value: Value.Type = Value.self
) -> some ConcurrentDictionary<Key, Value> & Sendable {
  #if ActorBackend
    ActorDictionary<Key, Value>()
  #else
    AtomicDictionary<Key, Value>()
  #endif
}

/// Returns an empty weak set of the backend that the build flag selects, including the actor; for
/// code with `await`.
public func makeWeakSet<Element: Sendable>(
  of element: Element.Type = Element.self
) -> some ConcurrentWeakSet<Element> & Sendable {
  #if ActorBackend
    ActorWeakSet<Element>()
  #else
    AtomicWeakSet<Element>()
  #endif
}

extension Backend {
  /// The backend of the `Atomic` names if no build flag selects another.
  public static let standard = Backend.lockFree

  /// The backend that the build flag selects; nil without one.
  public static var selectedByTrait: Backend? {
    #if BarrierQueueBackend
      .barrierQueue
    #elseif MutexBackend
      .mutex
    #elseif ReadWriteLockBackend
      .readWriteLock
    #elseif ActorBackend
      .actor
    #elseif AdaptiveLockBackend
      .adaptiveLock
    #elseif StripedLockBackend
      .stripedLock
    #elseif BucketLockBackend
      .bucketLock
    #elseif LockFreeBackend
      .lockFree
    #else
      nil
    #endif
  }

  /// The backend of `AtomicWeakArray` and `AtomicDictionary`, where they have it:
  /// `ofAtomicName(of:)`.
  public static var ofAtomicNames: Backend {
    guard let selected = selectedByTrait, selected.isSynchronous else { return standard }
    return selected
  }

  /// The backend of an abstract type's `Atomic` name.
  public static func ofAtomicName(of collection: CollectionKind) -> Backend {
    if supporting(collection).contains(ofAtomicNames) { return ofAtomicNames }
    // Without stripes, the lock that stripes consist of; without buckets, no lock.
    return ofAtomicNames == .stripedLock ? .adaptiveLock : .lockFree
  }

  /// The backend of `makeWeakArray` and `makeDictionary`.
  public static var ofFactories: Backend { selectedByTrait ?? standard }
}
