import EpochReclamation
import WeakCollections

/// Every backend of this package, as it is shipped; the dictionaries that put keys into words with both
/// kinds of keys.
package enum BackendCatalog: SubjectCatalog {
  package static let subjects =
    (Backend.supporting(.dictionary).map(dictionary) + numbered
    + Backend.supporting(.weakArray).map(weakArray)
    + Backend.supporting(.weakSet).map(weakSet)).map { subject in
      var subject = subject
      subject.isLockFree = subject.name.hasPrefix(Backend.lockFree.rawValue)
      return subject
    }

  private static let numbered = [
    Subject("lock-free-numbers") { domain -> Subject.Dictionary in
      NumberedDictionary(LockFreeDictionary(domain: domain, leastCapacity: 2))
    },
    Subject("bucket-lock-numbers") { domain -> Subject.Dictionary in
      NumberedDictionary(BucketLockDictionary(domain: domain, leastSize: 1))
    },
  ]

  private static func weakArray(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.WeakArray in
      switch backend {
      case .barrierQueue: BarrierQueueWeakArray<Tracked>()
      case .mutex: MutexWeakArray<Tracked>()
      case .readWriteLock: ReadWriteLockWeakArray<Tracked>()
      case .actor: ActorWeakArray<Tracked>()
      case .adaptiveLock: AdaptiveLockWeakArray<Tracked>()
      case .stripedLock, .bucketLock:
        preconditionFailure("expected a backend that has weak arrays")
      case .lockFree: LockFreeWeakArray<Tracked>(domain: domain)
      }
    }
  }

  private static func weakSet(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.WeakSet in
      switch backend {
      case .barrierQueue: BarrierQueueWeakSet<Tracked>()
      case .mutex: MutexWeakSet<Tracked>()
      case .readWriteLock: ReadWriteLockWeakSet<Tracked>()
      case .actor: ActorWeakSet<Tracked>()
      case .adaptiveLock: AdaptiveLockWeakSet<Tracked>()
      case .stripedLock, .bucketLock:
        preconditionFailure("expected a backend that has weak sets")
      case .lockFree: LockFreeWeakSet<Tracked>(domain: domain)
      }
    }
  }

  private static func dictionary(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.Dictionary in
      switch backend {
      case .barrierQueue: BarrierQueueDictionary<StressKey, Tracked>()
      case .mutex: MutexDictionary<StressKey, Tracked>()
      case .readWriteLock: ReadWriteLockDictionary<StressKey, Tracked>()
      case .actor: ActorDictionary<StressKey, Tracked>()
      case .adaptiveLock: AdaptiveLockDictionary<StressKey, Tracked>()
      case .stripedLock: StripedLockDictionary<StressKey, Tracked>()
      // One bucket to begin with: few keys make it grow.
      case .bucketLock: BucketLockDictionary<StressKey, Tracked>(domain: domain, leastSize: 1)
      // Two cells to begin with: few keys make it grow.
      case .lockFree: LockFreeDictionary<StressKey, Tracked>(domain: domain, leastCapacity: 2)
      }
    }
  }
}
