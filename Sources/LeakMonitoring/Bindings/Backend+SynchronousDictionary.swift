import WeakCollections

extension Backend {
  /// An empty dictionary of this backend, for what is not called often; traps for the actor.
  func makeSynchronousDictionary<Key: Hashable & Sendable, Value: Sendable>()
    -> any SynchronousDictionary<Key, Value> & Sendable
  {
    switch self {
    case .barrierQueue: BarrierQueueDictionary()
    case .mutex: MutexDictionary()
    case .readWriteLock: ReadWriteLockDictionary()
    case .adaptiveLock: AdaptiveLockDictionary()
    case .stripedLock: StripedLockDictionary()
    case .bucketLock: BucketLockDictionary()
    case .lockFree: LockFreeDictionary()
    case .actor:
      preconditionFailure("expected a backend that never suspends, since deinit cannot wait")
    }
  }
}
