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
  /// Records `leak` as a failure where it was found; under Swift Testing also from threads and tasks of no
  /// test, as a failure of the run.
  static func record(_ leak: LeakReport) {
    #if canImport(Testing)
      if Test.current != nil || isSwiftTesting {
        let site = leak.site
        Issue.record(
          Comment(rawValue: leak.message),
          sourceLocation: SourceLocation(
            fileID: "\(site.fileID)", filePath: "\(site.filePath)", line: Int(site.line),
            column: Int(site.column)))
        return
      }
    #endif
    #if canImport(XCTest)
      XCTFail(leak.message, file: leak.site.filePath, line: leak.site.line)
    #endif
  }

  /// Whether the package manager has started Swift Testing: off the tasks of tests nothing else tells.
  private static let isSwiftTesting = CommandLine.arguments.contains("swift-testing")
}

/// Called before `main`, because this module is linked.
@c(leak_testing_install)
public func installTestFailures() {
  TestFailures.install { RunningTest.record($0) }
}
