import WeakCollections

/// Events for one task, which waits for them; the oldest go when there is no room.
final class EventBuffer: Sendable {
  private struct State {
    var events = Ring<LeakEvent>()
    var dropped = 0
    var isFinished = false
    var waiting: CheckedContinuation<LeakEvent?, Never>?

    /// The next event, nil in it at the end; nil if it is to be waited for.
    mutating func next() -> LeakEvent?? {
      if dropped > 0 {
        defer { dropped = 0 }
        return .dropped(dropped)
      }
      if let event = events.popFirst() { return event }
      return isFinished || Task.isCancelled ? .some(nil) : nil
    }

    /// Returns what goes for it.
    mutating func append(_ event: LeakEvent, capacity: Int) -> LeakEvent? {
      events.append(event)
      guard events.count > capacity else { return nil }
      dropped += 1
      return events.popFirst()
    }

    mutating func takeWaiting() -> CheckedContinuation<LeakEvent?, Never>? {
      defer { waiting = nil }
      return waiting
    }
  }

  private let capacity: Int
  private let state = MutexLock(State())

  init(_ capacity: Int) {
    self.capacity = capacity
  }

  /// Whether a task waits for the next event.
  var isWaiting: Bool { state.read { $0.waiting != nil } }

  func append(_ event: LeakEvent) {
    // Both are dealt with outside the lock.
    let (waiting, old) = state.write { state in
      let waiting = state.takeWaiting()
      return (waiting, waiting == nil ? state.append(event, capacity: capacity) : nil)
    }
    withExtendedLifetime(old) {}
    waiting?.resume(returning: event)
  }

  func next() async -> LeakEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let next = state.write { state in
          let next = state.next()
          if case .none = next {
            precondition(state.waiting == nil, "expected one task at a time to wait for events")
            state.waiting = continuation
          }
          return next
        }
        if let next { continuation.resume(returning: next) }
      }
    } onCancel: {
      wake { _ in }
    }
  }

  func finish() {
    wake { $0.isFinished = true }
  }

  /// Ends the wait of whoever waits.
  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.write { state in
      change(&state)
      return state.takeWaiting()
    }
    waiting?.resume(returning: nil)
  }
}
