import LeakMonitoring
import Synchronization

/// A reporter that keeps what it is told.
final class CollectedLeaks: LeakReporter {
  private let leaks = Mutex<[LeakReport]>([])

  func report(_ leak: LeakReport) {
    leaks.withLock { $0.append(leak) }
  }

  var all: [LeakReport] { leaks.withLock { $0 } }
}
