import Primitives
import WeakCollections

/// The concurrent queue's lock with the barrier left out: writers run beside readers and each other.
///
/// Each changes a copy of its own and then stores it, so that what is lost is an update, not memory.
struct BarrierlessLock<Value>: ValueLock, ~Copyable {
  private let lock: MutexLock<Value>

  init(_ value: consuming Value) { lock = MutexLock(value) }

  borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try body(lock.read { copy $0 })
  }

  borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    var new = lock.read { copy $0 }
    let result = try body(&new)
    // Returned, so that the old value is released outside.
    _ = lock.write { value in
      defer { value = new }
      return value
    }
    return result
  }
}

// @unchecked: the value is reached only through the lock.
extension BarrierlessLock: @unchecked Sendable where Value: Sendable {}
