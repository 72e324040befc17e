import CShims

/// The managed scheduler that runs virtual threads on the calling system thread, if there is one.
///
/// Atomics reach it through `Atomic`. Node memory, plain accesses, locks, waits, barriers and
/// thread identities reach it through `ask`. Both are declared twice: in `Plain/`, where they
/// compile to nothing, and in `Interleaved/`, which the trait `Interleaving` selects.
///
/// Public rather than package, because cross-module optimization inlines only public functions.
public enum ManagedScheduler {
  /// Offers the scheduler a point at which it may run another thread.
  @inline(__always)
  public static func step(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) {
    _ = ask { $0.pointee.step(cws_site(file, function, line)) }
  }
}

extension cws_site {
  /// Creates the source location of a step.
  @inline(__always)
  public init(_ file: StaticString, _ function: StaticString, _ line: UInt32) {
    self.init(
      file: UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self),
      function: UnsafeRawPointer(function.utf8Start).assumingMemoryBound(to: CChar.self),
      line: line)
  }
}

/// Records that every use of `object` by any thread happened before its `deinit`.
///
/// The `deinit` of an object that threads share must call this first. Each of those threads has
/// released the object, but a scheduler does not observe reference counts and would report the
/// teardown as a race.
@inline(__always)
public func noteLastRelease(
  of object: AnyObject, file: StaticString = #fileID, function: StaticString = #function,
  line: UInt32 = #line
) {
  _ = ManagedScheduler.ask {
    $0.pointee.last_release(
      Unmanaged.passUnretained(object).toOpaque(), cws_site(file, function, line))
  }
}

/// A lock of the scheduler that replaces a real one.
///
/// A real lock would block the system thread, and with it all virtual threads.
public struct VirtualLock {
  private let address: UnsafeRawPointer
  private let isExclusive: Bool

  /// Acquires the scheduler's lock for the real lock at `address`.
  ///
  /// - Returns: Nil if there is no scheduler; then the caller acquires the real lock.
  @inline(__always)
  public static func acquire(
    _ address: @autoclosure () -> UnsafeRawPointer, exclusively: Bool,
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) -> VirtualLock? {
    ManagedScheduler.ask {
      let address = address()
      $0.pointee.lock(address, exclusively, cws_site(file, function, line))
      return VirtualLock(address: address, isExclusive: exclusively)
    }
  }

  /// The outcome of an attempt to acquire a lock.
  public struct Attempt {
    /// The lock; nil if another thread holds it.
    public let lock: VirtualLock?
  }

  /// Acquires the scheduler's lock for the real lock at `address` exclusively if no thread holds
  /// it.
  ///
  /// - Returns: Nil if there is no scheduler; then the caller tries to acquire the real lock.
  @inline(__always)
  public static func acquireIfAvailable(
    _ address: @autoclosure () -> UnsafeRawPointer, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) -> Attempt? {
    ManagedScheduler.ask {
      let address = address()
      let isAcquired = $0.pointee.try_lock(address, cws_site(file, function, line))
      return Attempt(lock: isAcquired ? VirtualLock(address: address, isExclusive: true) : nil)
    }
  }

  /// Releases the lock.
  @inline(__always)
  public func release(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) {
    _ = ManagedScheduler.ask {
      $0.pointee.unlock(address, isExclusive, cws_site(file, function, line))
    }
  }
}

/// Plain accesses to memory that threads share, which atomic operations must order.
///
/// A scheduler checks that some atomic operation orders them, and that the node is still allocated.
extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// Returns this pointer and records that the caller reads the variable at `offset` bytes next.
  @inline(__always)
  public func reading(
    at offset: Int = 0, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> Self {
    _ = ManagedScheduler.ask {
      $0.pointee.access(
        UnsafeRawPointer(self) + offset, false, cws_site(file, function, line))
    }
    return self
  }

  /// Returns this pointer and records that the caller writes the variable at `offset` bytes next.
  @inline(__always)
  public func writing(
    at offset: Int = 0, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> Self {
    _ = ManagedScheduler.ask {
      $0.pointee.access(
        UnsafeRawPointer(self) + offset, true, cws_site(file, function, line))
    }
    return self
  }
}
