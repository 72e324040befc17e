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
