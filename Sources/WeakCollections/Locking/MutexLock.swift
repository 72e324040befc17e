import CShims
import Primitives
import Synchronization

/// A value behind the standard library's mutex; readers exclude each other too.
public struct MutexLock<Value>: ValueLock, ~Copyable {
  private let mutex: Mutex<Value>
  /// What ThreadSanitizer is told of instead of the mutex; nil without it. Not the address of the value:
  /// merely to take that counts as a write.
  private let annotated: UnsafeMutableRawPointer?

  public init(_ value: consuming Value) {
    nonisolated(unsafe) let initial = value  // Nobody else has it yet.
    mutex = Mutex(initial)
    annotated = Sanitizer.isThreadSanitizer ? .allocate(byteCount: 1, alignment: 1) : nil
  }

  deinit { annotated?.deallocate() }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try write { value throws(F) in try body(value) }
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    // Taken around the mutex, which is then always free.
    let lock = VirtualLock.acquire(address, exclusively: true)
    defer { lock?.release() }
    return try mutex.withLock { value throws(F) in
      // ThreadSanitizer does not see the kernel hand a contended mutex over on Linux; these two say it.
      if let annotated { cws_tsan_acquire(annotated) }
      defer { if let annotated { cws_tsan_release(annotated) } }
      HaltPoint.underLock.reach()
      // Whether the result may be shared is decided by who uses the lock, as `ValueLock` says.
      nonisolated(unsafe) let result = try body(&value)
      return result
    }
  }

  private var address: UnsafeRawPointer { withUnsafePointer(to: mutex) { UnsafeRawPointer($0) } }
}

// @unchecked: the value is reached only through the lock.
extension MutexLock: @unchecked Sendable where Value: Sendable {}
