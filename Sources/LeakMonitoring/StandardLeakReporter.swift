import IssueReporting

/// Records a test failure under XCTest or Swift Testing; elsewhere fails an assertion, which in release
/// builds does nothing.
///
/// On Linux a test target must link the product `IssueReportingTestSupport` for its failures to be
/// recorded; without it, they are printed, and say so.
public struct StandardLeakReporter: LeakReporter {
  private let recordsTestFailures: Bool

  public init() {
    self.init(recordsTestFailures: isTesting)
  }

  init(recordsTestFailures: Bool) {
    self.recordsTestFailures = recordsTestFailures
  }

  public func report(_ leak: LeakReport) {
    let site = leak.site
    if recordsTestFailures {
      reportIssue(
        leak.message, fileID: site.fileID, filePath: site.filePath, line: site.line,
        column: site.column)
    } else {
      assertionFailure(leak.message, file: site.fileID, line: site.line)
    }
  }
}

extension LeakReporter where Self == StandardLeakReporter {
  /// A recorded failure in tests, an assertion failure elsewhere.
  public static var standard: StandardLeakReporter { StandardLeakReporter() }
}
