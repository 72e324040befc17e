#if Interleaving
  import Synchronization

  /// A lock around a value that a scheduler can keep.
  ///
  /// The interface is that of `Synchronization.Mutex`. Under a scheduler, threads wait for the
  /// scheduler's lock. The real one is taken inside it and is then always free.
  public struct Mutex<Value: ~Copyable>: ~Copyable {
    private let mutex: Synchronization.Mutex<Value>

    /// Creates a mutex around a value.
    public init(_ initialValue: consuming sending Value) {
      mutex = Synchronization.Mutex(initialValue)
    }

    /// Returns the result of `body`, which has exclusive access to the value.
    ///
    /// - Throws: The error that `body` throws.
    public borrowing func withLock<Result: ~Copyable, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending Result, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) throws(E) -> sending Result {
      let lock = VirtualLock.acquire(
        address, exclusively: true, file: file, function: function, line: line)
      defer { lock?.release(file: file, function: function, line: line) }
      return try mutex.withLock(body)
    }

    /// Returns the result of `body`, which has exclusive access to the value; nil if another thread
    /// has it.
    ///
    /// - Throws: The error that `body` throws.
    public borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending Result, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) throws(E) -> sending Result? {
      let attempt = VirtualLock.acquireIfAvailable(
        address, file: file, function: function, line: line)
      guard let attempt else { return try mutex.withLockIfAvailable(body) }
      guard let lock = attempt.lock else { return nil }
      defer { lock.release(file: file, function: function, line: line) }
      return try mutex.withLock(body)
    }

    // A mutex has a stable address while threads share it.
    private var address: UnsafeRawPointer { withUnsafePointer(to: mutex) { UnsafeRawPointer($0) } }
  }

  // @unchecked: only the lock gives access to the value.
  extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif
