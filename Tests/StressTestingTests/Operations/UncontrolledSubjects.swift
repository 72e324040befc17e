import Synchronization

/// A counter that uses the standard library's atomics, which no scheduler controls.
final class UncontrolledCounter: Sendable {
  private let count = Atomic(0)

  func increment() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// A real lock, inside which steps of the scheduler happen.
final class RealLock: Sendable {
  private let mutex = Synchronization.Mutex(())

  func withLock(_ body: () -> Void) { mutex.withLock { _ in body() } }
}
