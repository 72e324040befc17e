import Primitives

// Both types wait with an `EventCount`, which loses no wake-up. Its waits and its atomics are those
// of the scheduler in an execution, and those of the system elsewhere.

/// A condition variable for a condition on the value of a `Mutex`.
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

  /// Creates a condition variable on which no thread waits.
  public init() {}

  /// Blocks until `attempt` returns a value other than `nil`, and returns that value.
  ///
  /// Calls `attempt` under the lock of `mutex`, first immediately and then after every
  /// `broadcast()`. While the thread waits, it does not hold the lock.
  ///
  /// - Parameters:
  ///   - mutex: The lock of the state that `attempt` examines.
  ///   - attempt: A closure that returns `nil` if the thread must wait.
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

  /// Wakes all waiting threads. Call it after a change of the state under the lock.
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
  /// - Parameter count: The number of calls of `wait()` that return without a `signal()`. Traps if
  ///   it is negative.
  public init(_ count: Int) {
    guard count >= 0 else {
      fatalError("the count of a semaphore must not be negative, got \(count)")
    }
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
    // Sequentially consistent: the change that `EventCount` reports; pairs with the load in `wait`.
    // It also publishes the caller's writes to `take`.
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    event.signal()
  }

  private borrowing func take() -> Bool {
    // Relaxed: the compare-exchange below confirms the value.
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
