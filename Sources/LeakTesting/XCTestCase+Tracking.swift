#if canImport(XCTest)
  import LeakMonitoring
  import WeakCollections
  public import XCTest

  extension XCTestCase {
    /// Fails the test at this line if an object outlives it; returns the object.
    ///
    /// The test may be synchronous or asynchronous. The last teardown block checks the object. By
    /// then, the test case itself must not hold it; a `LeakCheckTestCase` may hold it until the end
    /// of `tearDown`. The check waits for the deallocation, at most for the longest `duration` of
    /// the test's tracked objects, and blocks neither the main actor nor its run loop.
    ///
    /// - Parameters:
    ///   - object: The object. The test does not keep it alive.
    ///   - duration: The time for which the object may outlive the test.
    ///   - fileID: The call site, as are `file`, `line` and `column`.
    ///   - file: The file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: `object`.
    @discardableResult
    public func trackForMemoryLeaks<Object: AnyObject>(
      _ object: Object, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
      file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Object {
      let site = CallSite(fileID: fileID, filePath: file, line: line, column: column)
      if let scope = RunningTestCase.scope(of: self) {
        scope.add(object, at: site, within: duration)
      } else {
        RunningTest.record(
          "\(TypeName.short(type(of: object))): tracked in a test case that is not running, so it "
            + "was not checked; call trackForMemoryLeaks of the running test case",
          at: site)
      }
      return object
    }

    /// Returns the name of the property that holds an object; nil if none does.
    ///
    /// No code may change the properties during the call.
    fileprivate func holder(of object: TrackedObject) -> String? {
      guard object.isAlive else { return nil }
      let holder = TestProperty.all(of: self, below: XCTestCase.self).first { property in
        property.held.objects.contains { ObjectIdentifier($0) == object.identifier }
      }
      return holder?.name
    }
  }

  /// The running test case and its scope. XCTest runs one test case at a time.
  final class RunningTestCase: NSObject, XCTestObservation {
    private struct Running {
      let testCase: ObjectIdentifier
      let scope: LeakScope
    }

    private static let running = MutexLock<Running?>(nil)

    /// Observes XCTest from now on.
    static func observe() {
      XCTestObservationCenter.shared.addTestObserver(RunningTestCase())
    }

    /// Returns the scope of the running test; nil if no test or another one than `testCase` is
    /// running.
    static func scope(of testCase: XCTestCase? = nil) -> LeakScope? {
      let running = running.read { $0 }
      guard let testCase else { return running?.scope }
      return running?.testCase == ObjectIdentifier(testCase) ? running?.scope : nil
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      let scope = LeakScope(inside: nil)
      // A `LeakCheckTestCase` ends its scope itself, after `tearDown`. For other test cases, this
      // block does. It is the first one, which XCTest runs last. No code may add a block while the
      // blocks run.
      if !(testCase is LeakCheckTestCase) {
        let reference = TestCaseReference(testCase: testCase)
        testCase.addTeardownBlock { await scope.end(inTeardownOf: reference) }
      }
      Self.running.write { $0 = Running(testCase: ObjectIdentifier(testCase), scope: scope) }
    }

    func testCaseDidFinish(_ testCase: XCTestCase) {
      Self.running.write { $0 = nil }
    }
  }

  extension LeakScope {
    /// Ends the scope of a plain test case. For an object that a property still holds, it records a
    /// different failure, and does not wait for the object.
    fileprivate func end(inTeardownOf reference: TestCaseReference) async {
      var held: Set<ObjectIdentifier> = []
      for object in survivors {
        // On the main actor, although the block runs elsewhere: work that the test left on the main
        // actor may still change a property.
        let holder = await MainActor.run { reference.testCase.holder(of: object) }
        guard let property = holder else { continue }
        held.insert(object.identifier)
        RunningTest.record(
          "\(object.description): the property `\(property)` of the test still holds it; set it to "
            + "nil in the test, or inherit from LeakCheckTestCase, which checks after tearDown",
          at: object.site)
      }
      await end(within: grace, but: held)
    }
  }

  /// A reference to a test case for its own teardown blocks.
  private struct TestCaseReference {
    unowned let testCase: XCTestCase
  }

  // @unchecked: XCTest accepts teardown blocks from any thread. It runs them one by one, while no
  // other code of the test runs, except work that the test left to run later. `end` excludes such
  // work on the main actor. A task elsewhere that changes the test case races with all code that
  // reads it, including the test.
  extension TestCaseReference: @unchecked Sendable {}
#endif
