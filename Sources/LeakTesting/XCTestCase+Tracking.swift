#if canImport(XCTest)
  import LeakMonitoring
  import WeakCollections
  public import XCTest

  extension XCTestCase {
    /// Fails the test at this line if `object` lives on after it; returns `object`.
    ///
    /// The test may suspend or not. The last teardown block checks the object, so the test case
    /// itself must not hold it by then; a `LeakCheckTestCase` may hold it until `tearDown` has
    /// ended. Waits until the object is gone, at most the longest `duration` with which the test
    /// tracks an object, and blocks neither the main actor nor its run loop.
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
          "\(TypeName.short(type(of: object))): tracked in a test that does not run", at: site)
      }
      return object
    }

    /// Returns the name of the property that holds an object; nil if none does. No code may change
    /// properties meanwhile.
    fileprivate func holder(of object: TrackedObject) -> String? {
      guard object.isAlive else { return nil }
      let holder = TestProperty.all(of: self, below: XCTestCase.self).first { property in
        property.held.objects.contains { ObjectIdentifier($0) == object.identifier }
      }
      return holder?.name
    }
  }

  /// The test case that runs, with its scope. XCTest runs one at a time.
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

    /// Returns the scope of the running test; nil if no test runs, or one other than `testCase`.
    static func scope(of testCase: XCTestCase? = nil) -> LeakScope? {
      let running = running.read { $0 }
      guard let testCase else { return running?.scope }
      return running?.testCase == ObjectIdentifier(testCase) ? running?.scope : nil
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      let scope = LeakScope(inside: nil)
      // A `LeakCheckTestCase` ends its scope itself, after `tearDown`. XCTest runs the first block
      // last, and no block may be added while they run.
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
    /// Ends the scope of a plain test case; reports the objects that its properties hold with
    /// another message.
    fileprivate func end(inTeardownOf reference: TestCaseReference) async {
      var held: Set<ObjectIdentifier> = []
      for object in survivors {
        // On the main actor, though the block runs elsewhere: work that the test left there may
        // still change a property.
        let holder = await MainActor.run { reference.testCase.holder(of: object) }
        guard let property = holder else { continue }
        held.insert(object.identifier)
        RunningTest.record(
          "\(object.description): the property `\(property)` of the test still holds it; set it to nil "
            + "in the test, or inherit from LeakCheckTestCase, which looks after tearDown",
          at: object.site)
      }
      await end(within: grace, but: held)
    }
  }

  /// A reference to a test case for its own teardown blocks.
  private struct TestCaseReference {
    unowned let testCase: XCTestCase
  }

  // @unchecked: XCTest takes teardown blocks from any thread, and runs them one by one while no
  // other code of the test runs, except for work that the test left to run later. `end` keeps out
  // such work on the main actor. A task elsewhere that changes the test case races with all code
  // that reads it, the test first of all.
  extension TestCaseReference: @unchecked Sendable {}
#endif
