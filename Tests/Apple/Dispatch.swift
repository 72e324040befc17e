// swift-format-ignore-file
// What this package uses of Dispatch.
@_exported import Darwin
import ObjectiveC

open class DispatchObject: NSObject {
  public func activate() {}
  public func cancel() {}
  public func resume() {}
}

public struct DispatchQoS: Sendable {
  public init() {}
  public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive }
  public static let unspecified = DispatchQoS(), background = DispatchQoS(), utility = DispatchQoS(), userInitiated = DispatchQoS()
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let barrier = DispatchWorkItemFlags(rawValue: 1)
}

public struct DispatchTime: Comparable, Sendable {
  public static func now() -> DispatchTime { DispatchTime() }
  public static let distantFuture = DispatchTime()
  public var uptimeNanoseconds: UInt64 { 0 }
  public static func < (one: DispatchTime, other: DispatchTime) -> Bool { false }
}

public enum DispatchTimeInterval: Equatable, Sendable {
  case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }

public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public final class DispatchSpecificKey<T>: @unchecked Sendable { public init() {} }

open class DispatchQueue: DispatchObject, @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 2)
  }
  public convenience init(label: String, qos: DispatchQoS = DispatchQoS(), attributes: Attributes = []) { self.init() }
  public override init() {}
  public var label: String { "" }
  public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
  public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T { try work() }
  public func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void) {}
  public func async(execute work: DispatchWorkItem) {}
  public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable @convention(block) () -> Void) {}
  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
  public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { DispatchQueue() }
  public class var main: DispatchQueue { DispatchQueue() }
}

public class DispatchWorkItem: @unchecked Sendable {
  public init(flags: DispatchWorkItemFlags = [], block: @escaping @convention(block) () -> Void) {}
  public func perform() {}
  public func cancel() {}
  public func wait() {}
}

public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  @discardableResult public func signal() -> Int { 0 }
}

public class DispatchGroup: DispatchObject, @unchecked Sendable {
  public override init() {}
  public func enter() {}
  public func leave() {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  public func notify(queue: DispatchQueue, execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

public class DispatchIO: DispatchObject, @unchecked Sendable {
  public enum StreamType: UInt { case stream = 0, random = 1 }
  public init(
    type: StreamType, fileDescriptor: Int32, queue: DispatchQueue, cleanupHandler: @escaping (Int32) -> Void) {}
  public func close() {}
}

public protocol DispatchSourceProtocol: NSObjectProtocol {
  func setEventHandler(handler: DispatchWorkItem)
  func setRegistrationHandler(handler: DispatchWorkItem)
  func activate()
  func resume()
  func cancel()
}
extension DispatchSourceProtocol {
  public func setEventHandler(
    qos: DispatchQoS = DispatchQoS(), flags: DispatchWorkItemFlags = [],
    handler: (@convention(block) () -> Void)?
  ) {}
}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
public protocol DispatchSourceTimer: DispatchSourceProtocol {
  func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
}
extension DispatchSourceTimer {
  public func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never) {}
  public func schedule(deadline: DispatchTime, repeating interval: Double) {}
}
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol { func add(data: UInt) }
public class DispatchSource: DispatchObject {
  public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal { fatalError() }
  public class func makeTimerSource(queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
  public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd { fatalError() }
}
