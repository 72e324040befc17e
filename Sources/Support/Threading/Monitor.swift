#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A value behind a lock, with a condition variable for threads that wait for a change.
///
/// It uses POSIX primitives, for two reasons. ThreadSanitizer understands them; it reports false
/// races on a contended `Synchronization.Mutex`. And the managed scheduler does not take their use
/// for a step of the code under test.
// @unchecked: every access to `value` holds `mutex`.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Returns the result of `body`, which reads the value under the lock.
  package func read<R>(_ body: (Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(value)
  }

  /// Changes the value under the lock and wakes all waiting threads.
  package func change<R, Failure>(
    _ body: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    defer { pthread_cond_broadcast(condition) }
    return try body(&value)
  }

  /// Blocks until `body` returns a value other than `nil`, and returns that value.
  ///
  /// Calls `body` under the lock, at first and after each change.
  package func wait<R>(until body: (inout Value) -> R?) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}

/// A gate at which threads wait until another thread opens it. It never closes again.
///
/// A waiting thread blocks, so it must be an `OwnedThread`, not a thread of the cooperative pool.
package final class Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  /// Opens the gate and wakes all waiting threads.
  package func open() {
    isOpen.change { $0 = true }
  }

  /// Blocks until the gate is open. Writes before `open()` are visible afterwards.
  package func wait() {
    isOpen.wait { $0 ? () : nil }
  }
}

/// A barrier at which a fixed number of threads wait until all have arrived.
///
/// The threads block and do not spin, because there may be more threads than cores. So each must be
/// an `OwnedThread`.
package final class Rendezvous: Sendable {
  private let missing: Monitor<Int>

  /// - Parameter count: The number of threads that arrive, each once.
  package init(count: Int) {
    missing = Monitor(count)
  }

  /// Blocks until all threads have arrived. The last one runs `last` before any thread continues.
  ///
  /// Every thread's writes before its arrival are visible to `last`. The writes of `last` are
  /// visible to every thread afterwards.
  package func arrive(last: () -> Void = {}) {
    missing.change { missing in
      if missing == 1 { last() }
      missing -= 1
    }
    missing.wait { $0 == 0 ? () : nil }
  }

  /// Whether all threads have arrived.
  package var hasOpened: Bool { missing.read { $0 == 0 } }
}
