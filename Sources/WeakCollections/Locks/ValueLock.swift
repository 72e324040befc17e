import CShims
import Dispatch
import Primitives
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A value together with the lock that guards it: only a closure reaches the value.
///
/// Closures must be short and call no user code. A closure returns what must be released outside
/// the lock.
public protocol ValueLock: ~Copyable {
  associatedtype Value

  init(_ value: consuming Value)

  /// Runs `body` while no thread writes; several readers may run concurrently.
  borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R

  /// Runs `body` while no other thread reads or writes.
  borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R
}

/// A value behind the standard library's mutex; readers exclude each other too.
public struct MutexLock<Value>: ValueLock, ~Copyable {
  private let mutex: Mutex<Value>
  /// The address that is annotated for ThreadSanitizer instead of the mutex; nil without it. Not
  /// the address of the value: merely taking that counts as a write.
  private let annotated: UnsafeMutableRawPointer?

  public init(_ value: consuming Value) {
    nonisolated(unsafe) let initial = value  // No other thread has it yet.
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
      // ThreadSanitizer does not see the kernel hand over a contended mutex on Linux; these two
      // report it.
      if let annotated { cws_tsan_acquire(annotated) }
      defer { if let annotated { cws_tsan_release(annotated) } }
      // The user of the lock decides whether the result may be shared; see `ValueLock`.
      nonisolated(unsafe) let result = try body(&value)
      return result
    }
  }

  private var address: UnsafeRawPointer { withUnsafePointer(to: mutex) { UnsafeRawPointer($0) } }
}

// @unchecked: the value is reached only through the lock.
extension MutexLock: @unchecked Sendable where Value: Sendable {}

/// A value behind a POSIX read-write lock, which prefers waiting writers to new readers where the
/// system supports it.
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
    return try body(&value.pointee)
  }

  /// By default glibc lets new readers pass waiting writers, which then may wait indefinitely.
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

/// A value behind a concurrent dispatch queue: readers run concurrently, writers as barriers.
///
/// Both block until their turn. So a thread reads what it wrote, and no pending block retains
/// anything.
public struct BarrierQueueLock<Value>: ValueLock, ~Copyable {
  private let queue = DispatchQueue(label: "weak-collections", attributes: .concurrent)
  private let value: UnsafeMutablePointer<Value>

  public init(_ value: consuming Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(value, exclusively: false) {
      defer { lock.release() }
      return try body(value.pointee)
    }
    var result: Result<R, F>?
    queue.sync {
      result = Result { () throws(F) in try body(value.pointee) }
    }
    return try result!.get()
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(value, exclusively: true) {
      defer { lock.release() }
      return try body(&value.pointee)
    }
    var result: Result<R, F>?
    queue.sync(flags: .barrier) {
      result = Result { () throws(F) in try body(&value.pointee) }
    }
    return try result!.get()
  }
}

// @unchecked: the value is reached only through the lock.
extension BarrierQueueLock: @unchecked Sendable where Value: Sendable {}
