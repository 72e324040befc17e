#if canImport(XCTest)
  import Dispatch
  import Foundation

  /// The objects that Foundation shares with everybody, and those that it keeps for reuse.
  enum SharedObjects {
    static func contain(_ object: AnyObject) -> Bool {
      switch object {
      case is FileManager: object === FileManager.default
      case is NotificationCenter: object === NotificationCenter.default
      case is UserDefaults: object === UserDefaults.standard
      case is ProcessInfo: object === ProcessInfo.processInfo
      case is Bundle: object === Bundle.main
      case is RunLoop: object === RunLoop.main || object === RunLoop.current
      case let thread as Thread: thread.isMainThread
      case is OperationQueue: object === OperationQueue.main
      // Those of all bear Dispatch's own names; on Linux each use of one makes another object.
      case let queue as DispatchQueue: queue.label.hasPrefix("com.apple.")
      case is AnyKeyPath: true
      case is NSNumber, is NSString, is NSNull, is NSDate: true
      default: false
      }
    }
  }
#endif
