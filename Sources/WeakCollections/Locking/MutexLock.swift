import CWeakShims
import Primitives
import Synchronization

/// A value behind the standard library's mutex; readers exclude each other too.
public struct MutexLock<Value>: ValueLock, ~Copyable {
  private let mutex: Mutex<Value>

  public init(_ value: consuming Value) {
    nonisolated(unsafe) let initial = value  // Nobody else has it yet.
    mutex = Mutex(initial)
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try write { value throws(F) in try body(value) }
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    try mutex.withLock { value throws(F) in
      // ThreadSanitizer does not see the kernel hand a contended mutex over on Linux; these two say it.
      withUnsafePointer(to: &value) { cws_tsan_acquire($0) }
      defer { withUnsafePointer(to: &value) { cws_tsan_release($0) } }
      HaltPoint.underLock.reach()
      // Whether the result may be shared is decided by who uses the lock, as `ValueLock` says.
      nonisolated(unsafe) let result = try body(&value)
      return result
    }
  }
}

// @unchecked: the value is reached only through the lock.
extension MutexLock: @unchecked Sendable where Value: Sendable {}
