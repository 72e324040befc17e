// swift-format-ignore-file
// What the library uses of Dispatch, whose module the toolchain has for its own machine alone.
@_exported import Glibc

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let barrier = DispatchWorkItemFlags(rawValue: 1)
}

public struct DispatchQoS: Sendable {
  public enum QoSClass: Sendable { case utility }
}

/// Runs work as a concurrent queue does: what is no barrier shares a lock.
public final class DispatchQueue: @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 2)
  }
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  public init(label: String, attributes: Attributes = []) { pthread_rwlock_init(lock, nil) }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  public static func global(qos: DispatchQoS.QoSClass) -> DispatchQueue {
    DispatchQueue(label: "global", attributes: .concurrent)
  }

  public func sync<T>(execute work: () throws -> T) rethrows -> T {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try work()
  }

  public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try work()
  }
}

// The trigger by a signal is not run here.
public final class DispatchWorkItem: @unchecked Sendable {
  public init(block: @escaping () -> Void) {}
}
public protocol DispatchSourceSignal: AnyObject {
  func setEventHandler(handler: DispatchWorkItem)
  func setRegistrationHandler(handler: DispatchWorkItem)
  func activate()
  func cancel()
}
public enum DispatchSource {
  public static func makeSignalSource(signal: Int32, queue: DispatchQueue?) -> any DispatchSourceSignal {
    fatalError("no signals")
  }
}
public final class DispatchSemaphore: Sendable {
  public init(value: Int) {}
  public func wait() { fatalError("no semaphore") }
  @discardableResult public func signal() -> Int { fatalError("no semaphore") }
}
