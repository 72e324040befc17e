import Primitives

/// A thread that stays inside a scope, such as a pin or a lock, until it is told to leave it, and ends
/// when it is told to.
package final class Occupant: Sendable {
  /// As debuggers and procfs show the thread.
  package let threadNumber: UInt64

  private let hasEntered = Gate()
  private let mayLeave = Gate()
  private let hasLeft = Gate()
  private let mayEnd = Gate()
  private let thread: OwnedThread

  /// Returns once `scope`, on the new thread, has called what it is given, which returns when the
  /// occupant may leave.
  package init(of scope: @escaping @Sendable (_ stay: () -> Void) -> Void) {
    let number = Number()
    thread = OwnedThread { [hasEntered, mayLeave, hasLeft, mayEnd] in
      number.value.store(CurrentThread.number, ordering: .relaxed)  // Relaxed: the gate orders it.
      scope {
        hasEntered.open()
        mayLeave.wait()
      }
      hasLeft.open()
      mayEnd.wait()
    }
    hasEntered.wait()
    threadNumber = number.value.load(ordering: .relaxed)  // Relaxed: as above.
  }

  /// Returns when the thread is outside the scope.
  package func leave() {
    mayLeave.open()
    hasLeft.wait()
  }

  /// Returns when the thread has ended.
  package func end() {
    mayLeave.open()
    mayEnd.open()
    thread.join()
  }

  private final class Number: Sendable {
    let value = Atomic<UInt64>(0)
  }
}
