// The type aliases and factories whose backend the build flag selects. The flag is a trait. Without
// one, they use the default backend, which people chose from the committed measurements, and which
// changes only in a major version. `CShims/BackendTraits.c` rejects two traits.

#if BarrierQueueBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = BarrierQueueWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = BarrierQueueDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = BarrierQueueWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    BarrierQueueWeakValueDictionary<Key, Value>
#elseif MutexBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = MutexWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = MutexDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = MutexWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    MutexWeakValueDictionary<Key, Value>
#elseif ReadWriteLockBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = ReadWriteLockWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = ReadWriteLockDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = ReadWriteLockWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    ReadWriteLockWeakValueDictionary<Key, Value>
#elseif AdaptiveLockBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = AdaptiveLockWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = AdaptiveLockDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = AdaptiveLockWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    AdaptiveLockWeakValueDictionary<Key, Value>
#elseif StripedLockBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = AdaptiveLockWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = StripedLockDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = AdaptiveLockWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    AdaptiveLockWeakValueDictionary<Key, Value>
#elseif BucketLockBackend
  /// The weak array for code without `await`, with the backend of this build.
  public typealias AtomicWeakArray<Element> = LockFreeWeakArray<Element>
  /// The dictionary for code without `await`, with the backend of this build.
  public typealias AtomicDictionary<Key: Hashable, Value> = BucketLockDictionary<Key, Value>
  /// The weak set for code without `await`, with the backend of this build.
  public typealias AtomicWeakSet<Element> = LockFreeWeakSet<Element>
  /// The dictionary with weak values, with the backend of this build.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    LockFreeWeakValueDictionary<Key, Value>
#else
  /// The weak array for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// ```swift
  /// let listeners = AtomicWeakArray<Listener>()
  /// listeners.append(listener)
  /// listeners.forEach { $0.hear() }
  /// ```
  ///
  /// It stays synchronous under the trait `ActorBackend`. For its guarantees see
  /// `ConcurrentWeakArray`.
  public typealias AtomicWeakArray<Element> = LockFreeWeakArray<Element>

  /// The dictionary for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// ```swift
  /// let visits = AtomicDictionary<String, Int>()
  /// visits["home"] = 1
  /// visits.update("home") { $0 = ($0 ?? 0) + 1 }
  /// print(visits["home"] ?? 0)  // 2
  /// ```
  ///
  /// It stays synchronous under the trait `ActorBackend`. For its guarantees see
  /// `ConcurrentDictionary`.
  public typealias AtomicDictionary<Key: Hashable, Value> = LockFreeDictionary<Key, Value>

  /// The weak set for code without `await`: the backend that the build flag selects, or the
  /// default.
  ///
  /// ```swift
  /// let listeners = AtomicWeakSet<Listener>()
  /// listeners.insert(listener)
  /// listeners.insert(listener)  // Does nothing: the set holds each object once.
  /// listeners.forEach { $0.hear() }
  /// ```
  ///
  /// It stays synchronous under the trait `ActorBackend`. For its guarantees see
  /// `ConcurrentWeakSet`.
  public typealias AtomicWeakSet<Element> = LockFreeWeakSet<Element>

  /// The dictionary with weak values, an exact interner: the backend that the build flag selects,
  /// or the default.
  public typealias AtomicWeakValueDictionary<Key: Hashable, Value> =
    LockFreeWeakValueDictionary<Key, Value>
#endif

/// Returns an empty weak array for code with `await`. Its backend is the one that the build flag
/// selects, including the actor.
///
/// - Parameter element: The type of the elements.
public func makeWeakArray<Element: Sendable>(
  of element: Element.Type = Element.self
) -> some ConcurrentWeakArray<Element> & Sendable {
  #if ActorBackend
    ActorWeakArray<Element>()
  #else
    AtomicWeakArray<Element>()
  #endif
}

/// Returns an empty dictionary for code with `await`. Its backend is the one that the build flag
/// selects, including the actor.
///
/// - Parameters:
///   - key: The type of the keys.
///   - value: The type of the values.
public func makeDictionary<Key: Hashable & Sendable, Value: Sendable>(
  from key: Key.Type = Key.self, to value: Value.Type = Value.self
) -> some ConcurrentDictionary<Key, Value> & Sendable {
  #if ActorBackend
    ActorDictionary<Key, Value>()
  #else
    AtomicDictionary<Key, Value>()
  #endif
}

/// Returns an empty weak set for code with `await`. Its backend is the one that the build flag
/// selects, including the actor.
///
/// - Parameter element: The type of the elements.
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
  /// The backend of the `Atomic` names if no build flag selects another one.
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

  /// The backend that the `Atomic` names use for every abstract type that it implements. For the
  /// other types, see `ofAtomicName(of:)`.
  public static var ofAtomicNames: Backend {
    guard let selected = selectedByTrait, selected.isSynchronous else { return standard }
    return selected
  }

  /// Returns the backend of an abstract type's `Atomic` name.
  public static func ofAtomicName(of collection: CollectionKind) -> Backend {
    if supporting(collection).contains(ofAtomicNames) { return ofAtomicNames }
    // In place of a striped lock, the lock that each stripe has; in place of bucket locks, no lock.
    return ofAtomicNames == .stripedLock ? .adaptiveLock : .lockFree
  }

  /// The backend that `makeWeakArray`, `makeDictionary` and `makeWeakSet` use for every abstract
  /// type that it implements.
  public static var ofFactories: Backend { selectedByTrait ?? standard }
}
