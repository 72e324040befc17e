import CWeakShims
import Primitives
import Synchronization

/// A value behind the standard library's mutex; readers exclude each other too.
public struct MutexLock<Value>: ValueLock, ~Copyable {
  private let mutex: Mutex<Value>
  /// An address of its own that stands for the value to ThreadSanitizer; nil where that does not watch.
  ///
  /// The value's own address cannot be had under the lock without an access to the value, which would be
  /// reported before it could be explained.
  private let handover = Sanitizer.isThreadSanitizer ? NodeMemory.allocate(UInt8.self) : nil

  public init(_ value: consuming Value) {
    nonisolated(unsafe) let initial = value  // Nobody else has it yet.
    mutex = Mutex(initial)
  }

  deinit {
    if let handover { NodeMemory.deallocate(handover) }
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try write { value throws(F) in try body(value) }
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    try mutex.withLock { value throws(F) in
      // ThreadSanitizer does not see the kernel hand a contended mutex over on Linux; these two say it.
      if let handover { cws_tsan_acquire(handover) }
      defer { if let handover { cws_tsan_release(handover) } }
      HaltPoint.underLock.reach()
      // Whether the result may be shared is decided by who uses the lock, as `ValueLock` says.
      nonisolated(unsafe) let result = try body(&value)
      return result
    }
  }
}

// @unchecked: the value is reached only through the lock.
extension MutexLock: @unchecked Sendable where Value: Sendable {}
