import Primitives

// Both types wait by an `EventCount`: it loses no wake-up, and its waits are those of the system or
// of the scheduler, as its atomics are.

/// A condition variable for the value of a `Mutex`.
///
/// ```swift
/// let items = Mutex<[Int]>([])
/// let changed = ConditionVariable()
///
/// func put(_ item: Int) {
///   items.withLock { $0.append(item) }
///   changed.broadcast()
/// }
///
/// func take() -> Int {
///   changed.wait(for: items) { items in items.isEmpty ? nil : items.removeFirst() }
/// }
/// ```
public struct ConditionVariable: ~Copyable, Sendable {
  private let event = EventCount()

  /// Creates a condition variable for which no thread waits.
  public init() {}

  /// Blocks until `attempt` returns a value other than nil, and returns that value.
  ///
  /// Calls `attempt` with the lock of `mutex`, at first and after every `broadcast()`. The thread
  /// waits without the lock.
  ///
  /// - Parameters:
  ///   - mutex: The lock of the state that `attempt` examines.
  ///   - attempt: Returns nil if the thread must wait.
  public borrowing func wait<Value: ~Copyable, Result: Sendable>(
    for mutex: borrowing Mutex<Value>, until attempt: (inout sending Value) -> sending Result?
  ) -> Result {
    var result: Result?
    while true {
      result = mutex.withLock(attempt)
      if let result { return result }
      event.wait(while: {
        result = mutex.withLock(attempt)
        return result == nil
      })
      if let result { return result }
    }
  }

  /// Wakes all waiting threads. The caller has changed the state under the lock before.
  public borrowing func broadcast() {
    event.signal()
  }
}

/// A counting semaphore.
public struct Semaphore: ~Copyable, Sendable {
  private let count: Atomic<Int>
  private let event = EventCount()

  /// Creates a semaphore.
  ///
  /// - Parameter count: The number of `wait()`s that return without a `signal()`. Traps if it is
  ///   negative.
  public init(_ count: Int) {
    precondition(count >= 0, "the count of a semaphore must not be negative, got \(count)")
    self.count = Atomic(count)
  }

  /// Blocks until the count is positive, and decrements it.
  public borrowing func wait() {
    while !take() {
      // Sequentially consistent, as `EventCount` requires; pairs with the addition in `signal`.
      event.wait(while: { count.load(ordering: .sequentiallyConsistent) == 0 })
    }
  }

  /// Decrements the count if it is positive; returns whether it was.
  public borrowing func waitIfAvailable() -> Bool { take() }

  /// Increments the count, and wakes the threads that wait for it.
  public borrowing func signal() {
    // Sequentially consistent: the event of `EventCount`. It also publishes the caller's writes.
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    event.signal()
  }

  private borrowing func take() -> Bool {
    // Relaxed: the compare-exchange decides.
    var old = count.load(ordering: .relaxed)
    while old > 0 {
      // Acquiring: pairs with the addition in `signal`, whose caller's writes become visible.
      let (exchanged, current) = count.compareExchange(
        expected: old, desired: old - 1, ordering: .acquiring)
      if exchanged { return true }
      old = current
    }
    return false
  }
}
