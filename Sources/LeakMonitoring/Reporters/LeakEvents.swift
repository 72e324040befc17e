import Primitives
import WeakCollections

/// What happens in a monitor.
public enum LeakEvent: Sendable {
  /// An instance with a `LifetimeToken` was made, so long after the monitor.
  case born(AnyClass, at: Duration)
  /// One died.
  case died(AnyClass, at: Duration)
  /// What was reported, by its state.
  case leaked(LeakReport)
  case retainedByRunningTask(LeakReport)
  case late(LeakReport)
  case allowed(LeakReport)
  case longLived(LeakReport)
  /// So many events are missing here, since whoever waits for them was too slow.
  case dropped(Int)

  init(_ report: LeakReport) {
    switch report.state {
    case .leaked: self = .leaked(report)
    case .retainedByRunningTask: self = .retainedByRunningTask(report)
    case .late: self = .late(report)
    case .allowed: self = .allowed(report)
    case .longLived: self = .longLived(report)
    }
  }
}

/// The events of a monitor from when this was made until the monitor is gone.
///
/// One task at a time may wait for the next, a second traps: each would miss what the other gets.
public struct LeakEvents: AsyncSequence, Sendable {
  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: EventSubscription

    /// The next event, once there is one; nil if the monitor or the task ends.
    public mutating func next() async -> LeakEvent? {
      await subscription.buffer.next()
    }
  }

  let subscription: EventSubscription

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(subscription: subscription)
  }
}

extension MemoryLeakMonitor {
  /// The events from now on; of those that nobody has taken yet the last `capacity` are kept, and the
  /// number of the others is said. Without anybody who has such a sequence events cost nothing.
  ///
  /// - Parameter capacity: at least 1, else traps.
  public func events(buffering capacity: Int) -> LeakEvents {
    precondition(capacity > 0, "expected room for at least one event")
    return LeakEvents(subscription: EventSubscription(in: observations.events, capacity))
  }

  /// The events from now on, with room for 256.
  public var events: LeakEvents { events(buffering: 256) }

  /// `events` of the current monitor.
  public static var events: LeakEvents { current.events }
}

/// Who waits for the events of a monitor.
final class EventChannel: Sendable {
  private struct State {
    var buffers: [ObjectIdentifier: EventBuffer] = [:]
    var isFinished = false
  }

  private let isWatched = Atomic<Bool>(false)
  private let state = MutexLock(State())

  /// Hands on what `event` returns, which is not called if nobody waits.
  @inline(__always)
  func send(_ event: () -> LeakEvent) {
    // Relaxed: who subscribes while something happens may get it or not; the lock orders the buffers.
    guard isWatched.load(ordering: .relaxed) else { return }
    deliver(event())
  }

  func add(_ buffer: EventBuffer) {
    let isFinished = state.write { state in
      if !state.isFinished {
        state.buffers[ObjectIdentifier(buffer)] = buffer
        // Under the lock, as in `remove`, so that it agrees with the buffers.
        isWatched.store(true, ordering: .relaxed)
      }
      return state.isFinished
    }
    if isFinished { buffer.finish() }
  }

  func remove(_ buffer: EventBuffer) {
    let removed = state.write { state in
      let removed = state.buffers.removeValue(forKey: ObjectIdentifier(buffer))
      isWatched.store(!state.buffers.isEmpty, ordering: .relaxed)
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Ends the sequences of all, once they have given what they have.
  func finish() {
    let buffers = state.write { state in
      state.isFinished = true
      isWatched.store(false, ordering: .relaxed)
      defer { state.buffers = [:] }
      return Array(state.buffers.values)
    }
    for buffer in buffers { buffer.finish() }
  }

  private func deliver(_ event: LeakEvent) {
    for buffer in state.read({ Array($0.buffers.values) }) { buffer.append(event) }
  }
}

/// That somebody waits, until it is released.
final class EventSubscription: Sendable {
  let buffer: EventBuffer
  private let channel: EventChannel

  init(in channel: EventChannel, _ capacity: Int) {
    self.channel = channel
    buffer = EventBuffer(capacity)
    channel.add(buffer)
  }

  deinit { channel.remove(buffer) }
}

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

/// A queue whose ends cost the same however many stand in it.
struct Ring<Element> {
  private var slots: [Element?] = []
  private var first = 0
  private(set) var count = 0

  /// Amortised O(1).
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(first + count) % slots.count] = element
    count += 1
  }

  /// The one that was appended first; nil if there is none.
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % slots.count
      count -= 1
    }
    return slots[first].take()
  }

  private mutating func grow() {
    let inOrder = slots[first...] + slots[..<first]
    slots = inOrder + Array(repeating: nil, count: max(8, count))
    first = 0
  }
}

extension Ring: Sendable where Element: Sendable {}
