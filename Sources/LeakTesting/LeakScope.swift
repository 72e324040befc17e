import WeakCollections
public import LeakMonitoring

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// The objects that a test, or a part of a test, tracks. All of them should be deallocated soon
/// after the end of the scope.
///
/// `withLeakScope` and the trait `.noLeaks` create a scope. The scope belongs to the task: child
/// tasks and tasks created by `Task {}` track in it too. A detached task or a thread does not
/// inherit the scope: pass it there, and call `scope.track(object)`, or put
/// `withLeakScope(in: scope) { }` around the code that tracks.
public final class LeakScope: Sendable {
  private struct State {
    var tracked: [TrackedObject] = []
    /// Whether this scope must not report an empty test: code tracked an object here or in an inner
    /// scope, or an inner scope reports an empty test itself.
    var isUsed = false
    var hasEnded = false
    /// The longest grace period of a tracked object.
    var grace: Duration = .zero
    /// The number of tracked objects at the last check.
    var looked = 0
  }

  @TaskLocal private static var innermost: LeakScope?

  /// The innermost scope of the running task; nil outside of all scopes.
  public static var current: LeakScope? { innermost }

  private let outer: LeakScope?
  /// Whether failures include the holder of a survivor.
  let paths: RetainPaths
  private let state = MutexLock(State())

  /// Creates a scope.
  ///
  /// - Parameters:
  ///   - outer: The scope around this one; nil if there is none.
  ///   - paths: Whether failures include the holder of a survivor. If nil, the setting of the outer
  ///     scope applies, or without one `MemoryLeakMonitor.retainPaths`.
  init(inside outer: LeakScope? = LeakScope.current, showing paths: RetainPaths? = nil) {
    self.outer = outer
    self.paths = paths ?? outer?.paths ?? MemoryLeakMonitor.retainPaths
    self.paths.requireTime()
  }

  /// Expects the deallocation of an object soon after the end of the scope; returns the object.
  ///
  /// Fails the test if the scope has already ended, because then it would not check the object.
  ///
  /// - Parameters:
  ///   - object: The object. The scope holds it weakly.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: `object`.
  @discardableResult
  public func track<Object: AnyObject>(
    _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> Object {
    add(object, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    return object
  }

  func add(_ object: AnyObject, at site: CallSite, within grace: Duration = .zero) {
    add(TrackedObject(object, at: site), within: grace)
  }

  func add(_ tracked: TrackedObject, within grace: Duration = .zero) {
    let isLate = state.write { state in
      if !state.hasEnded { state.tracked.append(tracked) }
      state.grace = max(state.grace, grace)
      return state.hasEnded
    }
    if isLate { Self.recordLate(tracked) }
    noteUse()
  }

  private static func recordLate(_ tracked: TrackedObject) {
    RunningTest.record(
      "\(tracked.description): tracked after its scope had ended, so it was not checked; track it "
        + "before the end, or let the test wait for this code",
      at: tracked.site)
  }

  /// The longest grace period of a tracked object.
  var grace: Duration { state.read { $0.grace } }

  /// Whether code tracked no object here or in an inner scope; see `State.isUsed`.
  var isEmpty: Bool { state.read { !$0.isUsed } }

  /// Marks this scope and the outer ones as used, so that they do not report an empty test.
  func noteUse() {
    state.write { $0.isUsed = true }
    outer?.noteUse()
  }

  /// The live tracked objects, each once, in the order of tracking.
  var survivors: [TrackedObject] {
    var seen: Set<ObjectIdentifier> = []
    let tracked = state.write { state in
      state.looked = state.tracked.count
      return state.tracked
    }
    return tracked.filter { $0.isAlive && seen.insert($0.identifier).inserted }
  }
}

// MARK: Running code in a scope, and its end

extension LeakScope {
  func run<R>(_ body: () throws -> R) rethrows -> R {
    try Self.$innermost.withValue(self, operation: body)
  }

  func run<R>(isolation: isolated (any Actor)?, _ body: () async throws -> R) async rethrows -> R {
    try await Self.$innermost.withValue(self, operation: body, isolation: isolation)
  }

  /// Ends the scope: waits until all objects are deallocated, at most `duration`, and records a
  /// failure for each survivor. Pumps the run loop while it waits.
  ///
  /// - Parameters:
  ///   - duration: The time for which an object may survive.
  ///   - error: The error that the code of the scope threw. What it holds is no survivor.
  func endPumping(within duration: Duration, throwing error: (any Error)? = nil) {
    var patience = Patience(duration) { self.survivors }
    conclude(patience.waitPumping(), duration, error)
  }

  /// Ends the scope: waits until all objects are deallocated, at most `duration`, and records a
  /// failure for each survivor. Suspends while it waits.
  ///
  /// - Parameters:
  ///   - duration: The time for which an object may survive.
  ///   - others: The objects to ignore.
  ///   - error: The error that the code of the scope threw. What it holds is no survivor.
  /// - Returns: The survivors, without the ignored objects.
  @discardableResult
  func end(
    within duration: Duration, but others: Set<ObjectIdentifier> = [],
    throwing error: (any Error)? = nil
  ) async -> [TrackedObject] {
    var patience = Patience(duration) {
      self.survivors.filter { !others.contains($0.identifier) }
    }
    let survivors = await patience.wait()
    return conclude(survivors, duration, error)
  }

  /// Ends the scope. The caller records its survivors.
  ///
  /// Records a failure for each live object that code tracked after the last check.
  func close() {
    let late = state.write { state in
      state.hasEnded = true
      return state.tracked.dropFirst(state.looked)
    }
    for tracked in late where tracked.isAlive { Self.recordLate(tracked) }
  }

  @discardableResult
  private func conclude(
    _ found: [TrackedObject], _ duration: Duration, _ error: (any Error)?
  ) -> [TrackedObject] {
    close()
    let survivors = found.filter { survivor in error.map { !survivor.isHeld(by: $0) } ?? true }
    var search = MemoryLeakMonitor.current.holderSearch(showing: paths)
    for survivor in survivors {
      let isArgument = RunningTest.arguments.map(survivor.isHeld) ?? false
      RunningTest.record(
        survivor.survived(duration, &search), showing: paths,
        note: isArgument ? RunningTest.noteOnArguments : "")
    }
    return survivors
  }
}

// MARK: Tracking

// Disfavored, so that asynchronous code gets the other form even for a synchronous body.
/// Runs `body` in a new scope, and fails the test for each tracked object that survives, at the
/// line that tracks it.
///
/// Waits until the last object is deallocated, at most `duration`, or longer on a machine that is
/// too busy for enough checks. Meanwhile it pumps the thread's run loop, but blocks code on this
/// actor that the run loop does not run. On Linux, this includes code on the main actor in a test
/// of Swift Testing: there, use the form that suspends. The value that `body` returns is alive
/// during the check, so it must not hold a tracked object. An object that only the error of `body`
/// holds is no leak.
///
/// - Parameters:
///   - scope: The scope in which `body` tracks instead of a new one, such as `LeakScope.current` of
///     the code that started this task or thread. The code that created the scope checks it.
///   - duration: The time for which a tracked object may survive.
///   - paths: Whether a failure includes the holder of a survivor. If nil, the setting of the outer
///     scope applies, or without one `MemoryLeakMonitor.retainPaths`. The form that suspends
///     searches outside of the main actor.
///   - body: The code that tracks.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, after the check.
@_disfavoredOverload
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  _ body: () throws -> R
) rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  do {
    let result = try inner.run { try pooled(body) }
    if scope == nil { inner.endPumping(within: duration) }
    return result
  } catch {
    if scope == nil { inner.endPumping(within: duration, throwing: error) }
    throw error
  }
}

/// Runs `body` in a new scope, and fails the test for each tracked object that survives; suspends
/// while it waits.
///
/// - Parameters:
///   - scope: The scope in which `body` tracks instead of a new one. The code that created the
///     scope checks it.
///   - duration: The time for which a tracked object may survive.
///   - paths: Whether a failure includes the holder of a survivor. If nil, the setting of the outer
///     scope applies, or without one `MemoryLeakMonitor.retainPaths`.
///   - isolation: The isolation of the caller, in which `body` runs.
///   - body: The code that tracks.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, after the check.
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  do {
    let result = try await inner.run(isolation: isolation, body)
    if scope == nil { await inner.end(within: duration) }
    return result
  } catch {
    if scope == nil { await inner.end(within: duration, throwing: error) }
    throw error
  }
}

/// Expects the deallocation of an object soon after the end of the innermost scope; returns the
/// object.
///
/// ```swift
/// @Test(.noLeaks) func `a screen is released`() {
///   let screen = track(Screen())
///   screen.open()
/// }
/// ```
///
/// A survivor fails the test at this line. The scope is that of `withLeakScope` or of the trait
/// `.noLeaks`. In an `XCTestCase` without either, it is the scope of the test, as for
/// `trackForMemoryLeaks`. Elsewhere, the call itself fails the test.
///
/// - Parameters:
///   - object: The object. The scope holds it weakly.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
/// - Returns: `object`.
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
      "\(TypeName.short(type(of: object))): tracked outside of all scopes, so it was not checked; "
        + "add .noLeaks to the test or call withLeakScope; in a detached task or a thread, pass "
        + "the scope of the test: withLeakScope(in:)",
      at: site)
  }
  return object
}

/// A weak reference to an object whose deallocation a test expects.
struct TrackedObject: Sendable {
  /// The object's identity, which is unique only while the object is alive.
  let identifier: ObjectIdentifier
  let site: CallSite
  private let type: AnyClass
  private let name: String?
  private let life: LifeSign
  private let birth = ContinuousClock.now

  /// Creates a reference.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - name: Its name in reports; the name of its class by default.
  ///   - site: The place where the test tracks it.
  init(_ object: AnyObject, describedAs name: String? = nil, at site: CallSite) {
    identifier = ObjectIdentifier(object)
    type = Swift.type(of: object)
    self.name = name
    self.site = site
    life = LifeSign(object)
  }

  // Computed on demand: names are expensive, and most objects never need one.
  var typeName: String { TypeName.stable(type) }
  var description: String { name ?? TypeName.short(type) }

  /// Whether the object is alive; false once its `deinit` has begun.
  var isAlive: Bool { life.isAlive }

  /// Returns whether `value` holds the object; see `HeldObjects.isHeld`.
  func isHeld(by value: Any) -> Bool {
    life.promote().map { HeldObjects.isHeld($0, by: value) } ?? false
  }

  /// Returns a report of the object's survival, with the holder that `search` finds.
  func survived(_ duration: Duration, _ search: inout HolderSearch) -> LeakReport {
    var report = LeakReport(
      finding: .survivor(after: duration), typeName: typeName, description: description,
      liveCount: 1, max: 0, site: site,
      survivors: [
        LeakSurvivor(
          typeName: typeName, description: description, age: birth.duration(to: .now), site: site,
          retainFinding: search.find(life))
      ])
    report.noteRunningTask()
    return report
  }
}

/// Runs `body` in an autorelease pool on platforms that have them.
func pooled<R>(_ body: () throws -> R) rethrows -> R {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
