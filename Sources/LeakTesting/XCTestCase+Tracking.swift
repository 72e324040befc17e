#if canImport(XCTest)
  import LeakMonitoring
  import WeakCollections
  public import XCTest

  extension XCTestCase {
    /// Fails the test at this line if `object` lives on after it; returns `object`.
    ///
    /// For tests that suspend and such that do not. It is checked in the last teardown block, so the test case
    /// itself is not to hold the object by then: in a `LeakCheckTestCase` it may, until `tearDown` has ended. Waits
    /// until it is gone, at most the longest `duration` of what the test tracks, and blocks neither the main actor
    /// nor its run loop.
    @discardableResult
    public func trackForMemoryLeaks<Object: AnyObject>(
      _ object: Object, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
      file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Object {
      let site = CallSite(fileID: fileID, filePath: file, line: line, column: column)
      track(object, within: duration, at: site)
      return object
    }

    private func track(_ object: AnyObject, within duration: Duration, at site: CallSite) {
      if let scope = RunningTestCase.scope(of: self) {
        scope.add(object, at: site, within: duration)
      } else {
        RunningTest.record(
          "\(TypeName.short(type(of: object))): tracked in a test that does not run", at: site)
      }
    }

    /// The name of the property that holds an object; nil if none does. Nobody is to change properties meanwhile.
    func holder(of object: TrackedObject) -> String? {
      guard object.isAlive else { return nil }
      let holder = TestProperty.all(of: self, below: XCTestCase.self).first { property in
        property.held.objects.contains { ObjectIdentifier($0) == object.identifier }
      }
      return holder?.name
    }
  }

  /// Knows which test case runs, and has a scope for it. XCTest runs one at a time.
  final class RunningTestCase: NSObject, XCTestObservation {
    private struct Running {
      let testCase: ObjectIdentifier
      let scope: LeakScope
    }

    private static let running = MutexLock<Running?>(nil)

    /// Has XCTest tell from now on.
    static func observe() {
      XCTestObservationCenter.shared.addTestObserver(RunningTestCase())
    }

    /// The scope of the test that runs, or of `testCase` if that runs; else nil.
    static func scope(of testCase: XCTestCase? = nil) -> LeakScope? {
      let running = running.read { $0 }
      guard let testCase else { return running?.scope }
      return running?.testCase == ObjectIdentifier(testCase) ? running?.scope : nil
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      let scope = LeakScope(inside: nil)
      // A `LeakCheckTestCase` ends its scope itself, after `tearDown`. The first block is run as the last, and
      // none may be added while they run.
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
    /// Ends the scope of a plain test case: what its properties hold is told apart.
    fileprivate func end(inTeardownOf reference: TestCaseReference) async {
      var held: Set<ObjectIdentifier> = []
      for object in survivors {
        // On the main actor, though the block runs elsewhere: what the test left for it may still change a property.
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

  /// A test case that its own blocks refer to: they belong to it.
  struct TestCaseReference {
    unowned let testCase: XCTestCase
  }

  // @unchecked: XCTest takes teardown blocks from any thread, and runs them one by one while no other code of
  // the test does, but what it left to run later. Of that the main actor's is kept out, see `end`; a task elsewhere that
  // changes the test case then races with whatever reads it, the test first of all.
  extension TestCaseReference: @unchecked Sendable {}
#endif
