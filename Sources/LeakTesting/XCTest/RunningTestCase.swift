#if canImport(XCTest)
  import LeakMonitoring
  import WeakCollections
  import XCTest

  /// Knows which test case runs, for `track` outside of scopes. XCTest runs one at a time.
  final class RunningTestCase: NSObject, XCTestObservation {
    private static let running = MutexLock<TestCaseReference?>(nil)

    /// Has XCTest tell from now on.
    static func observe() {
      XCTestObservationCenter.shared.addTestObserver(RunningTestCase())
    }

    /// Tracks `object` until the end of the running test; false if none runs.
    static func track(_ object: AnyObject, at site: CallSite) -> Bool {
      guard let testCase = running.read({ $0 })?.testCase else { return false }
      testCase.track(object, within: .seconds(1), at: site)
      return true
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      Self.running.write { $0 = TestCaseReference(testCase: testCase) }
    }

    func testCaseDidFinish(_ testCase: XCTestCase) {
      Self.running.write { $0 = nil }
    }
  }

  /// A test case that its own blocks refer to: they belong to it.
  struct TestCaseReference {
    unowned let testCase: XCTestCase
  }

  // @unchecked: XCTest takes teardown blocks from any thread, and runs them one by one while no other code of
  // the test does.
  extension TestCaseReference: @unchecked Sendable {}
#endif
