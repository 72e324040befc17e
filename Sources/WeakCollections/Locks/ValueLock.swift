import CShims
import Dispatch
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

/// A value with the lock that guards it. Only a closure can access the value.
///
/// Closures must be short and must not use the lock again. The only user code that a closure may
/// call is a key's `==` and `hash(into:)`, and a body under a `CriticalSection` record, which makes
/// reentry trap. A closure returns everything that must be released outside the lock.
///
/// The result of a closure need not be `Sendable`: the caller decides which results threads may
/// share.
public protocol ValueLock: ~Copyable {
  /// The type of the guarded value.
  associatedtype Value

  /// Creates a lock around `value`.
  init(_ value: consuming Value)

  /// Runs `body` while no thread writes. Several readers may run concurrently.
  ///
  /// - Throws: The error that `body` throws.
  borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R

  /// Runs `body` while no other thread reads or writes.
  ///
  /// - Throws: The error that `body` throws.
  borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R
}

/// A value behind the standard library's mutex. Readers also exclude each other.
public struct MutexLock<Value>: ValueLock, ~Copyable {
  private let mutex: Mutex<Value>
  /// The address that stands for the mutex in annotations for ThreadSanitizer; nil without
  /// ThreadSanitizer. It is not the address of the value: merely forming that counts as a write.
  private let annotated: UnsafeMutableRawPointer?

  /// Creates a mutex around `value`.
  public init(_ value: consuming Value) {
    nonisolated(unsafe) let initial = value  // No other thread has access to it yet.
    mutex = Mutex(initial)
    annotated = Sanitizer.isThreadSanitizer ? .allocate(byteCount: 1, alignment: 1) : nil
  }

  deinit { annotated?.deallocate() }

  /// Runs `body` with the value while the calling thread holds the mutex.
  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try write { value throws(F) in try body(value) }
  }

  /// Runs `body` with the value while the calling thread holds the mutex.
  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    try mutex.withLock { value throws(F) in
      // On Linux, ThreadSanitizer does not see that the kernel hands over a contended mutex. These
      // two annotations report it.
      if let annotated { cws_tsan_acquire(annotated) }
      defer { if let annotated { cws_tsan_release(annotated) } }
      // The user of the lock decides whether threads may share the result; see `ValueLock`.
      nonisolated(unsafe) let result = try body(&value)
      return result
    }
  }
}

// @unchecked: only the lock gives access to the value.
extension MutexLock: @unchecked Sendable where Value: Sendable {}

/// A value behind a POSIX read-write lock, which prefers waiting writers to new readers if the
/// system supports it.
public struct ReadWriteLock<Value>: ValueLock, ~Copyable {
  // In a separate allocation: the lock needs a stable address.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>
  private let value: UnsafeMutablePointer<Value>

  /// Creates a read-write lock around `value`.
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

  /// Runs `body` with the value while no thread writes. Traps if the calling thread is writing.
  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(lock, exclusively: false) {
      defer { lock.release() }
      return try body(value.pointee)
    }
    Self.require(pthread_rwlock_rdlock(lock))
    defer { pthread_rwlock_unlock(lock) }
    return try body(value.pointee)
  }

  /// Runs `body` with the value while no other thread reads or writes. Traps if the calling thread
  /// is writing.
  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(lock, exclusively: true) {
      defer { lock.release() }
      return try body(&value.pointee)
    }
    Self.require(pthread_rwlock_wrlock(lock))
    defer { pthread_rwlock_unlock(lock) }
    return try body(&value.pointee)
  }

  /// Initializes `lock`. The default of glibc lets new readers pass waiting writers, which may then
  /// starve.
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
    if status != 0 { fail(status) }
  }

  // Not inlined into each operation.
  @inline(never)
  private static func fail(_ status: Int32) -> Never {
    fatalError(
      "read-write lock failed with error \(status); a closure must not lock its own value again")
  }
}

// @unchecked: only the lock gives access to the value.
extension ReadWriteLock: @unchecked Sendable where Value: Sendable {}

/// A value behind a concurrent dispatch queue: readers run concurrently, writers as barriers.
///
/// Both block until their turn. So a thread reads its own writes, and no pending block retains
/// anything.
public struct BarrierQueueLock<Value>: ValueLock, ~Copyable {
  private let queue = DispatchQueue(label: "weak-collections", attributes: .concurrent)
  private let value: UnsafeMutablePointer<Value>

  /// Creates a queue around `value`.
  public init(_ value: consuming Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs `body` with the value while no thread writes. Deadlocks if the calling thread is writing.
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

  /// Runs `body` as a barrier, while no other thread reads or writes. Deadlocks inside another
  /// closure of the same lock.
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

// @unchecked: only the queue gives access to the value.
extension BarrierQueueLock: @unchecked Sendable where Value: Sendable {}
