import CLeakTesting
import LeakMonitoring

#if canImport(Testing)
  import Testing
#endif
#if canImport(XCTest)
  import XCTest
#endif

/// The test that this process runs.
enum RunningTest {
  /// Records `leak` as a failure where it was found.
  static func record(_ leak: LeakReport) {
    record(leak.message, at: leak.site)
  }

  /// Records a failure at `site`; under Swift Testing also from threads and tasks of no test, as a failure of
  /// the run.
  static func record(_ message: String, at site: CallSite) {
    #if canImport(Testing)
      if Test.current != nil || isSwiftTesting {
        Issue.record(
          Comment(rawValue: message),
          sourceLocation: SourceLocation(
            fileID: "\(site.fileID)", filePath: "\(site.filePath)", line: Int(site.line),
            column: Int(site.column)))
        return
      }
    #endif
    #if canImport(XCTest)
      XCTFail(message, file: site.filePath, line: site.line)
    #endif
  }

  /// Tracks `object` until the end of the running `XCTestCase`; false if none runs.
  static func track(_ object: AnyObject, at site: CallSite) -> Bool {
    false
  }

  /// Whether the package manager has started Swift Testing: off the tasks of tests nothing else tells.
  private static let isSwiftTesting = CommandLine.arguments.contains("swift-testing")
}

/// Called before `main`, because this module is linked.
@c(leak_testing_install)
public func installTestFailures() {
  TestFailures.install { RunningTest.record($0) }
}
