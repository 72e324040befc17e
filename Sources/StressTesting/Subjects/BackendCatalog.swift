import EpochReclamation
import WeakCollections

/// Every backend of this package, as it is shipped.
package enum BackendCatalog: SubjectCatalog {
  package static let subjects =
    (Backend.supporting(.dictionary).map(dictionary)
    + Backend.supporting(.weakArray).map(weakArray)).map { subject in
      var subject = subject
      subject.isLockFree = subject.name == Backend.lockFree.rawValue
      return subject
    }

  private static func weakArray(_ backend: Backend) -> Subject {
    Subject(backend.rawValue) { domain -> Subject.WeakArray in
      switch backend {
      case .barrierQueue: BarrierQueueWeakArray<Tracked>()
      case .mutex: MutexWeakArray<Tracked>()
      case .readWriteLock: ReadWriteLockWeakArray<Tracked>()
      case .actor: ActorWeakArray<Tracked>()
      case .lockFree: LockFreeWeakArray<Tracked>(domain: domain)
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
      case .lockFree: LockFreeDictionary<StressKey, Tracked>(domain: domain)
      }
    }
  }
}
