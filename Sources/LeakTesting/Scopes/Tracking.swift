import LeakMonitoring

/// Expects `object` to be gone soon after the end of the innermost scope; returns it.
///
/// ```swift
/// @Test(.noLeaks) func `a screen is let go`() {
///   let screen = track(Screen())
///   screen.open()
/// }
/// ```
///
/// A survivor fails the test at this line. The scope is that of `withLeakScope` or of the trait `.noLeaks`;
/// in an `XCTestCase` outside of those it is the test, as for `trackForMemoryLeaks`. Elsewhere it fails at once.
@discardableResult
public func track<Object: AnyObject>(
  _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) -> Object {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  if let scope = LeakScope.current {
    scope.add(object, at: site)
  } else if !RunningTest.track(object, at: site) {
    RunningTest.record(
      "\(TypeName.short(type(of: object))): tracked outside of all scopes; add .noLeaks to the test, "
        + "or track in withLeakScope, which detached tasks and threads are given one to",
      at: site)
  }
  return object
}
