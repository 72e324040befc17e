import LeakMonitoring
import WeakCollections

/// A reporter that keeps what it is told.
final class CollectedLeaks: LeakReporter {
  private struct State {
    var leaks: [LeakReport] = []
    var waiters = Waiters()
  }

  private let state = MutexLock(State())

  func report(_ leak: LeakReport) {
    change { $0.leaks.append(leak) }
  }

  var all: [LeakReport] { state.read { $0.leaks } }

  /// All of them, once there are `count`.
  func first(_ count: Int) async -> [LeakReport] {
    await withCheckedContinuation { continuation in
      change { $0.waiters.add(continuation, for: count) }
    }
    return all
  }

  private func change(_ body: (inout State) -> Void) {
    let ready = state.write { state in
      body(&state)
      return state.waiters.take(at: state.leaks.count)
    }
    for waiter in ready { waiter.resume() }
  }
}
