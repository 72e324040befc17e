import CShims

/// Records a test failure under XCTest or Swift Testing; elsewhere fails an assertion, which in release
/// builds does nothing.
///
/// Only states that are a failure fail; it keeps the others to itself. A test target links the product
/// `LeakTesting` for its failures to be recorded; without it they are printed only, and say so.
public struct StandardLeakReporter: LeakReporter {
  private let record: (@Sendable (LeakReport) -> Void)?
  private let isTesting: Bool

  public init() {
    self.init(record: TestFailures.installed, isTesting: TestFailures.isTesting)
  }

  init(record: (@Sendable (LeakReport) -> Void)?, isTesting: Bool) {
    self.record = record
    self.isTesting = isTesting
  }

  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    if let record {
      record(leak)
    } else if isTesting {
      cws_print_error("\(leak.site.fileID):\(leak.site.line): \(leak.messageWithHolders)")
      cws_print_error("To fail the test, add the product LeakTesting to the test target.")
    } else {
      AssertionLeakReporter().report(leak)
    }
  }
}

extension LeakReporter where Self == StandardLeakReporter {
  /// A recorded failure in tests, an assertion failure elsewhere.
  public static var standard: StandardLeakReporter { StandardLeakReporter() }
}
