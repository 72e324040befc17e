import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A value behind a POSIX read-write lock, whose waiting writers go before new readers where the system
/// lets us choose.
public struct ReadWriteLock<Value>: ValueLock, ~Copyable {
  // In memory of its own: the lock must not move.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  private let value: UnsafeMutablePointer<Value>

  public init(_ value: consuming Value) {
    lock = .allocate(capacity: 1)
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    Self.initialize(lock)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(lock, exclusively: false) {
      defer { lock.release() }
      return try body(value.pointee)
    }
    Self.require(pthread_rwlock_rdlock(lock))
    defer { pthread_rwlock_unlock(lock) }
    return try body(value.pointee)
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(lock, exclusively: true) {
      defer { lock.release() }
      return try body(&value.pointee)
    }
    Self.require(pthread_rwlock_wrlock(lock))
    defer { pthread_rwlock_unlock(lock) }
    HaltPoint.underLock.reach()
    return try body(&value.pointee)
  }

  /// By default glibc lets new readers pass waiting writers, who then may wait for ever.
  private static func initialize(_ lock: UnsafeMutablePointer<pthread_rwlock_t>) {
    #if canImport(Glibc)
      var attributes = pthread_rwlockattr_t()
      pthread_rwlockattr_init(&attributes)
      defer { pthread_rwlockattr_destroy(&attributes) }
      pthread_rwlockattr_setkind_np(
        &attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
      require(pthread_rwlock_init(lock, &attributes))
    #else
      require(pthread_rwlock_init(lock, nil))
    #endif
  }

  private static func require(_ status: Int32) {
    precondition(status == 0, "a read-write lock is not taken twice by one thread")
  }
}

// @unchecked: the value is reached only through the lock.
extension ReadWriteLock: @unchecked Sendable where Value: Sendable {}
