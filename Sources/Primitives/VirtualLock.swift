import CShims

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
