public import LeakMonitoring

/// Fails the test if what `make` returns lives on after it was let go: nothing else is to hold it.
///
/// ```swift
/// await expectDeallocated {
///   let screen = Screen()
///   await screen.open()
///   return screen
/// }
/// ```
///
/// Waits as `withLeakScope` does, at most `duration`, and shows `paths` as that does.
// Disfavoured: code that suspends shall get the other form for a closure that does not suspend, too.
@_disfavoredOverload
public func expectDeallocated<Object: AnyObject>(
  within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ make: () throws -> Object
) rethrows {
  let scope = LeakScope(showing: paths)
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  try pooled { scope.add(try make(), at: site) }
  scope.endPumping(within: duration)
}

/// `expectDeallocated` in code that suspends; suspends while it waits.
public func expectDeallocated<Object: AnyObject>(
  within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ make: () async throws -> Object
) async rethrows {
  let scope = LeakScope(showing: paths)
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  scope.add(try await make(), at: site)
  await scope.end(within: duration)
}

/// Lets go of `object` and fails the test if it lives on. Waits as `withLeakScope` does, and shows
/// `paths` as that does.
///
/// `object` is a local variable. It is in exclusive use until this returns, so that whoever reads it in the run
/// loop meanwhile traps; a property is set to nil in `withLeakScope`, where its object is tracked.
public func expectDeallocated<Object: AnyObject>(
  _ object: inout Object?, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  letGo(of: &object, at: site, showing: paths).endPumping(within: duration)
}

/// `expectDeallocated` of a variable that suspends while it waits.
public func expectDeallocated<Object: AnyObject>(
  _ object: inout Object?, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  await letGo(of: &object, at: site, showing: paths).end(within: duration)
}

private func letGo<Object: AnyObject>(
  of object: inout Object?, at site: CallSite, showing paths: RetainPaths?
) -> LeakScope {
  let scope = LeakScope(showing: paths)
  if let object {
    scope.add(object, at: site)
  } else {
    RunningTest.record("expected an object to let go of, found nil", at: site)
  }
  object = nil
  return scope
}
