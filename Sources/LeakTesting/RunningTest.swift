import CLeakTesting
import LeakMonitoring

#if canImport(Testing)
  import Testing
#endif
#if canImport(XCTest)
  import XCTest
#endif

/// The running test of Swift Testing or XCTest.
enum RunningTest {
  /// A function that receives failures instead of the test. Only tests of this module set it.
  @TaskLocal static var recorder: (@Sendable (String, CallSite?) -> Void)?

  /// Records `leak` as a failure at its site.
  ///
  /// - Parameters:
  ///   - paths: Whether the test asked for the holder of a survivor.
  ///   - note: A line after the message; empty for none.
  static func record(
    _ leak: LeakReport, showing paths: RetainPaths = MemoryLeakMonitor.retainPaths,
    note: String = ""
  ) {
    record(leak.messageWithHolders + hint(about: leak, showing: paths) + note, at: leak.site)
  }

  /// The arguments of the running case of a parameterized test; nil for other tests.
  static var arguments: Any? {
    #if canImport(Testing)
      if let running = Test.Case.current, running.isParameterized { return running }
    #endif
    return nil
  }

  /// The line about a survivor that `arguments` hold.
  static let noteOnArguments =
    "\n  an argument of the test holds it, and arguments are alive until all cases have run: "
    + "create the object in the test instead"

  /// Returns a hint how to find the holder of a survivor; empty if a search for it was made.
  private static func hint(about leak: LeakReport, showing paths: RetainPaths) -> String {
    // Does not check whether a search works here: the check forks, which the test did not request.
    #if os(Linux)
      guard case .survivor = leak.finding, leak.holderLines.isEmpty else { return "" }
      return paths == .hidden
        ? " (run with \(RetainPaths.variable)=1 to see its holder)"
        : " (no search for its holder was made)"
    #else
      return ""
    #endif
  }

  /// Records a failure at `site`.
  ///
  /// Under Swift Testing, a failure from a thread or a task outside of every test belongs to the
  /// whole run.
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
    /// Records a failure of `testCase` at the line of its test method, if that can be found.
    static func record(_ message: String, of testCase: XCTestCase) {
      if let recorder { return recorder(message, nil) }
      #if canImport(Darwin)
        testCase.record(XCTIssue(type: .assertionFailure, compactDescription: message))
      #else
        let location = MethodLocation(ofTest: testCase)
        testCase.recordFailure(
          withDescription: message, inFile: location?.file ?? "<unknown>",
          atLine: location?.line ?? 0, expected: true)
      #endif
    }
  #endif

  /// Tracks `object` until the end of the running `XCTestCase`; returns false if none is running.
  static func track(_ object: AnyObject, at site: CallSite) -> Bool {
    #if canImport(Testing)
      // This task belongs to a test of Swift Testing, even if XCTest is running a test too.
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

  /// Whether the package manager has started Swift Testing. Code outside of the tasks of tests has
  /// no other way to find out.
  private static let isSwiftTesting = CommandLine.arguments.contains("swift-testing")
}

/// Installs the recording of failures.
///
/// CLeakTesting calls this function before `main`, so it suffices to link this module.
@c(leak_testing_install)
public func installTestFailures() {
  TestFailures.install { RunningTest.record($0) }
  #if canImport(XCTest)
    RunningTestCase.observe()
  #endif
}
