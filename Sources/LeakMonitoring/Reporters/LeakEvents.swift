import Primitives
import WeakCollections

/// An event of a monitor: the birth or death of an instance with a token, or a report.
public enum LeakEvent: Sendable {
  /// An instance with a `LifetimeToken` was created; the time counts from the monitor's creation.
  case born(AnyClass, at: Duration)
  /// An instance with a `LifetimeToken` was deallocated; the time counts from the monitor's
  /// creation.
  case died(AnyClass, at: Duration)
  /// A report in the state `LeakState.leaked`.
  case leaked(LeakReport)
  /// A report in the state `LeakState.retainedByRunningTask`.
  case retainedByRunningTask(LeakReport)
  /// A report in the state `LeakState.late`.
  case late(LeakReport)
  /// A report in the state `LeakState.allowed`.
  case allowed(LeakReport)
  /// A report in the state `LeakState.longLived`.
  case longLived(LeakReport)
  /// The number of events that are missing here, because the consumer was too slow.
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

/// The events of a monitor, from the creation of this sequence to the deallocation of the monitor.
///
/// Only one task at a time may wait for the next event. A second waiting task traps, because each
/// of the two would miss the events that the other receives.
public struct LeakEvents: AsyncSequence, Sendable {
  /// The iterator of the events. All iterators of a sequence share its events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: EventSubscription

    /// Suspends until there is an event, and returns it; returns nil when the monitor is
    /// deallocated or the task is cancelled.
    ///
    /// - Precondition: No other task waits for an event of the same sequence.
    public mutating func next() async -> LeakEvent? {
      await subscription.buffer.next()
    }
  }

  let subscription: EventSubscription

  /// Returns an iterator, which shares the events with other iterators of this sequence.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(subscription: subscription)
  }
}

/// Distributes the events of a monitor to its sequences.
final class EventChannel: Sendable {
  private struct State {
    var buffers: [ObjectIdentifier: EventBuffer] = [:]
    var isFinished = false
  }

  private let isWatched = Atomic<Bool>(false)
  private let state = MutexLock(State())

  /// Sends the result of `event`; does not call it if no sequence exists.
  @inline(__always)
  func send(_ event: () -> LeakEvent) {
    // Relaxed: a stale value only means that a sequence that is created concurrently misses the
    // event. The lock orders the accesses to the buffers.
    guard isWatched.load(ordering: .relaxed) else { return }
    deliver(event())
  }

  func add(_ buffer: EventBuffer) {
    let isFinished = state.write { state in
      if !state.isFinished {
        state.buffers[ObjectIdentifier(buffer)] = buffer
        // Relaxed, here and in `remove`: the lock keeps the flag consistent with the buffers.
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

  /// Ends all sequences after their buffered events.
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

/// A subscription, which keeps a buffer in the channel until the subscription is deallocated.
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

/// The buffered events of one sequence; a full buffer drops the oldest event.
final class EventBuffer: Sendable {
  private struct State {
    var events = Ring<LeakEvent>()
    var dropped = 0
    var isFinished = false
    var waiting: CheckedContinuation<LeakEvent?, Never>?

    /// Returns the next event, or `.some(nil)` at the end of the sequence; returns `.none` if the
    /// task must wait.
    mutating func next() -> LeakEvent?? {
      if dropped > 0 {
        defer { dropped = 0 }
        return .dropped(dropped)
      }
      if let event = events.popFirst() { return event }
      return isFinished || Task.isCancelled ? .some(nil) : nil
    }

    /// Appends `event`; returns the event that it displaces.
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
    // The lock's closure returns both, so that the task resumes, and the old event is released,
    // outside the lock.
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
            guard state.waiting == nil else {
              fatalError(
                "two tasks wait for events of one sequence, and each would miss events; "
                  + "give each task a sequence of its own")
            }
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

  /// Applies `change`, and resumes the waiting task, if there is one, with nil.
  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.write { state in
      change(&state)
      return state.takeWaiting()
    }
    waiting?.resume(returning: nil)
  }
}

/// A queue in a circular buffer.
struct Ring<Element> {
  private var slots: [Element?] = []
  private var first = 0
  private(set) var count = 0

  /// Appends `element`, in amortized O(1).
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(first + count) % slots.count] = element
    count += 1
  }

  /// Removes and returns the oldest element; nil if the queue is empty.
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
