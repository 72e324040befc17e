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
  /// Takes failures instead of the test, in tests of failures.
  @TaskLocal static var recorder: (@Sendable (String, CallSite?) -> Void)?

  /// Records `leak` as a failure where it was found.
  ///
  /// - Parameter paths: whether it was to say who holds what lives on.
  static func record(_ leak: LeakReport, showing paths: RetainPaths = MemoryLeakMonitor.retainPaths)
  {
    record(leak.messageWithHolders + hint(about: leak, showing: paths), at: leak.site)
  }

  /// How to learn who holds a survivor, if nobody looked.
  private static func hint(about leak: LeakReport, showing paths: RetainPaths) -> String {
    // Whether it can be found out is not asked: to find that out takes a fork, which nobody wanted yet.
    #if os(Linux)
      guard case .survivor = leak.finding, leak.holderLines.isEmpty else { return "" }
      return paths == .hidden
        ? " (\(RetainPaths.variable)=1 shows what holds it)"
        : " (what holds it was not looked for)"
    #else
      return ""
    #endif
  }

  /// Records a failure at `site`; under Swift Testing also from threads and tasks of no test, as a failure of
  /// the run.
  static func record(_ message: String, at site: CallSite) {
    if let recorder { return recorder(message, site) }
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

  #if canImport(XCTest)
    /// Records a failure of `testCase` that is at no place of its source.
    static func record(_ message: String, of testCase: XCTestCase) {
      if let recorder { return recorder(message, nil) }
      #if canImport(Darwin)
        testCase.record(XCTIssue(type: .assertionFailure, compactDescription: message))
      #else
        testCase.recordFailure(
          withDescription: message, inFile: "<unknown>", atLine: 0, expected: true)
      #endif
    }
  #endif

  /// Tracks `object` until the end of the running `XCTestCase`; false if none runs.
  static func track(_ object: AnyObject, at site: CallSite) -> Bool {
    #if canImport(Testing)
      // Not XCTest's, whatever that runs meanwhile.
      if Test.current != nil { return false }
    #endif
    #if canImport(XCTest)
      if let scope = RunningTestCase.scope() {
        scope.add(object, at: site, within: .seconds(1))
        return true
      }
    #endif
    return false
  }

  /// Whether the package manager has started Swift Testing: off the tasks of tests nothing else tells.
  private static let isSwiftTesting = CommandLine.arguments.contains("swift-testing")
}

/// Called before `main`, because this module is linked.
@c(leak_testing_install)
public func installTestFailures() {
  TestFailures.install { RunningTest.record($0) }
  #if canImport(XCTest)
    RunningTestCase.observe()
  #endif
}
