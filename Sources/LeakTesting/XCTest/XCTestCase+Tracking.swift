#if canImport(XCTest)
  import LeakMonitoring
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
#endif
