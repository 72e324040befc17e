import CShims

/// The managed scheduler that runs virtual threads on the calling thread of the system, if any.
///
/// The seam beside the atomics: what node memory, locks, waits and the rest of this module tell a
/// scheduler goes through `ask`, which without the trait `Interleaving` is nil and leaves no machine code.
package enum ManagedScheduler {
  /// What the scheduler of this thread answers; nil without one.
  @inline(__always)
  package static func ask<R>(_ question: (UnsafePointer<cws_scheduler>) -> R) -> R? {
    #if Interleaving
      return cws_scheduler_get().map(question)
    #else
      return nil
    #endif
  }
}

extension cws_site {
  @inline(__always)
  package init(_ file: StaticString, _ function: StaticString, _ line: UInt32) {
    self.init(
      file: UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self),
      function: UnsafeRawPointer(function.utf8Start).assumingMemoryBound(to: CChar.self),
      line: line)
  }
}

/// To be called first in the `deinit` of what threads share: whatever any of them did to `object`
/// happened before, since each released it afterwards.
///
/// A scheduler cannot see reference counts and would call the teardown a race.
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

/// A lock as a managed scheduler keeps it, in the stead of a real one: that would block the thread of
/// the system and with it all virtual threads.
public struct VirtualLock {
  private let address: UnsafeRawPointer
  private let isExclusive: Bool

  /// Takes what stands for the lock at `address`; nil without a scheduler: take the real one.
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
