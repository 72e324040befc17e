#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A value that threads change in turn, and wait for.
///
/// Made of POSIX parts alone: ThreadSanitizer sees them, which it does not for a contended
/// `Synchronization.Mutex`, and no scheduler of ours ever takes them for a step of what it watches.
// @unchecked: `value` is touched under `mutex` alone.
final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
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

  func read<R>(_ body: (Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(value)
  }

  /// Changes the value and wakes all who wait.
  func change<R>(_ body: (inout Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    defer { pthread_cond_broadcast(condition) }
    return body(&value)
  }

  /// Returns what `body` does once it does not return nil; tries again after each change.
  func wait<R>(until body: (inout Value) -> R?) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}

/// Where threads wait for another: closed at first, then open for good.
///
/// The threads sleep: they must be owned ones.
package final class Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  package func open() {
    isOpen.change { $0 = true }
  }

  /// Returns once the gate is open; what came before `open` is visible then.
  package func wait() {
    isOpen.wait { $0 ? () : nil }
  }
}

/// Where a fixed number of threads wait until all have arrived.
///
/// They sleep rather than spin, since there may be more of them than cores: they must be owned ones.
package final class Rendezvous: Sendable {
  private let missing: Monitor<Int>

  package init(count: Int) {
    missing = Monitor(count)
  }

  /// Returns when all have arrived; the last one runs `last` before anybody goes on.
  ///
  /// What each did before it arrived is visible to `last`, and what `last` did to all.
  package func arrive(last: () -> Void = {}) {
    missing.change { missing in
      if missing == 1 { last() }
      missing -= 1
    }
    missing.wait { $0 == 0 ? () : nil }
  }

  /// Whether all have arrived.
  package var hasOpened: Bool { missing.read { $0 == 0 } }
}
