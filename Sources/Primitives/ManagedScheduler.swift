import CShims

/// The managed scheduler that runs virtual threads on the calling thread of the system, if there is one.
///
/// Atomics reach it through `Atomic`; node memory, plain accesses, locks, waits, barriers and thread
/// identities reach it through `ask`. Each of these is declared twice: in `Plain/`, where it compiles to
/// nothing, and in `Interleaved/`, which the trait `Interleaving` selects.
///
/// Public rather than package: cross-module optimization inlines public functions alone.
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
  @inline(__always)
  public init(_ file: StaticString, _ function: StaticString, _ line: UInt32) {
    self.init(
      file: UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self),
      function: UnsafeRawPointer(function.utf8Start).assumingMemoryBound(to: CChar.self),
      line: line)
  }
}

/// Records that everything any thread did to `object` happened before its `deinit`, which must call this
/// first if threads shared the object.
///
/// Each of those threads released the object afterwards. A scheduler does not observe reference counts and
/// would report the teardown as a race.
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

/// A lock that the scheduler keeps in place of a real one.
///
/// A real lock would block the thread of the system and with it all virtual threads.
public struct VirtualLock {
  private let address: UnsafeRawPointer
  private let isExclusive: Bool

  /// Acquires the scheduler's lock for the one at `address`; returns nil without a scheduler, and the
  /// caller acquires the real one.
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

  @inline(__always)
  public func release(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) {
    _ = ManagedScheduler.ask {
      $0.pointee.unlock(address, isExclusive, cws_site(file, function, line))
    }
  }
}

/// Plain accesses to what threads share, which some atomic operation must order.
///
/// A scheduler checks that one does, and that the node is still allocated.
extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// Returns this pointer; the caller reads next the variable that is `offset` bytes behind it.
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

  /// Returns this pointer; the caller writes next the variable that is `offset` bytes behind it.
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
