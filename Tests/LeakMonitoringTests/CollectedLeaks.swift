import LeakMonitoring
import WeakCollections

/// A reporter that keeps what it is told.
final class CollectedLeaks: LeakReporter {
  private let leaks = MutexLock<[LeakReport]>([])

  func report(_ leak: LeakReport) {
    leaks.write { $0.append(leak) }
  }

  var all: [LeakReport] { leaks.read { copy $0 } }
}
