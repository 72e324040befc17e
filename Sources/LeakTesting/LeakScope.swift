import WeakCollections
public import LeakMonitoring

/// What was tracked in a test or in a part of one, all of which is to be gone soon after its end.
///
/// `withLeakScope` and the trait `.noLeaks` make one. It goes with the task: child tasks and tasks made by
/// `Task {}` track in it too. Detached tasks and threads do not, and are given it: `scope.track(object)`, or
/// `withLeakScope(in: scope) { }` around what tracks.
public final class LeakScope: Sendable {
  private struct State {
    var tracked: [TrackedObject] = []
    /// Whether something was tracked here or in a scope inside, or whether such a scope answers for that.
    var isUsed = false
    var hasEnded = false
    /// The longest that was asked for.
    var grace: Duration = .zero
    /// How many of the tracked were looked at last.
    var looked = 0
  }

  @TaskLocal private static var innermost: LeakScope?

  /// The innermost scope around the running task; nil outside of all.
  public static var current: LeakScope? { innermost }

  private let outer: LeakScope?
  /// Whether failures say who holds what lives on.
  let paths: RetainPaths
  private let state = MutexLock(State())

  /// - Parameter paths: nil for what the scope around says, else the monitor.
  init(inside outer: LeakScope? = LeakScope.current, showing paths: RetainPaths? = nil) {
    self.outer = outer
    self.paths = paths ?? outer?.paths ?? MemoryLeakMonitor.retainPaths
    self.paths.requireTime()
  }

  /// Expects `object` to be gone soon after the scope's end; returns it.
  ///
  /// To be used before the end: what is tracked later fails at once, since nobody looks any more.
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
      "\(tracked.description): tracked after its scope had ended, so nobody looks for it",
      at: tracked.site)
  }

  /// The longest grace that was asked for with an object.
  var grace: Duration { state.read { $0.grace } }

  /// Whether nothing was tracked here or in a scope inside.
  var isEmpty: Bool { state.read { !$0.isUsed } }

  /// Has this and those around it not complain that nothing was tracked.
  func noteUse() {
    state.write { $0.isUsed = true }
    outer?.noteUse()
  }

  /// What lives, each object once, in the order of tracking.
  var survivors: [TrackedObject] {
    var seen: Set<ObjectIdentifier> = []
    let tracked = state.write { state in
      state.looked = state.tracked.count
      return state.tracked
    }
    return tracked.filter { $0.isAlive && seen.insert($0.identifier).inserted }
  }
}

/// Running code in a scope, and its end.
extension LeakScope {
  func run<R>(_ body: () throws -> R) rethrows -> R {
    try Self.$innermost.withValue(self, operation: body)
  }

  func run<R>(isolation: isolated (any Actor)?, _ body: () async throws -> R) async rethrows -> R {
    try await Self.$innermost.withValue(self, operation: body, isolation: isolation)
  }

  /// Ends the scope; records what lives on, once none is left or after `duration`. Pumps the run loop.
  func endPumping(within duration: Duration) {
    var patience = Patience(duration) { self.survivors }
    conclude(patience.waitPumping(), duration)
  }

  /// `endPumping` that suspends.
  ///
  /// - Parameter others: what is not waited for, and not recorded.
  /// - Returns: what was recorded.
  @discardableResult
  func end(
    within duration: Duration, but others: Set<ObjectIdentifier> = []
  ) async -> [TrackedObject] {
    var patience = Patience(duration) {
      self.survivors.filter { !others.contains($0.identifier) }
    }
    let survivors = await patience.wait()
    conclude(survivors, duration)
    return survivors
  }

  /// Ends the scope, whose survivors the caller records; what came after the last look is recorded as late.
  func close() {
    let late = state.write { state in
      state.hasEnded = true
      return state.tracked.dropFirst(state.looked)
    }
    for tracked in late where tracked.isAlive { Self.recordLate(tracked) }
  }

  private func conclude(_ survivors: [TrackedObject], _ duration: Duration) {
    close()
    var search = MemoryLeakMonitor.current.holderSearch(showing: paths)
    for survivor in survivors {
      RunningTest.record(survivor.survived(duration, &search), showing: paths)
    }
  }
}

/// Runs `body` in a scope of its own, and fails the test for each object that was tracked in it and lives on,
/// at the line that tracks it.
///
/// Waits until the last one is gone, at most `duration`, and longer only if the machine is so busy that it
/// was hardly asked. Meanwhile it pumps the thread's run loop; what needs this very actor and not that loop, as
/// on Linux the main actor in a test of Swift Testing, cannot run: use the form that suspends. What `body`
/// returns or throws lives during the check, and is not to hold what was tracked.
///
/// With a `scope`, which is what `LeakScope.current` was where this task or thread was started, it tracks there;
/// whoever opened that checks.
///
/// A failure says who holds what lives on if `paths` are shown: nil for what the scope around says, else
/// `MemoryLeakMonitor.retainPaths`. The form that suspends does not look for that on the main actor.
// Disfavoured: code that suspends shall get the other form for a body that does not suspend, too.
@_disfavoredOverload
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  _ body: () throws -> R
) rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  defer { if scope == nil { inner.endPumping(within: duration) } }
  return try inner.run { try pooled(body) }
}

/// `withLeakScope` in code that suspends; suspends while it waits.
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
    if scope == nil { await inner.end(within: duration) }
    throw error
  }
}

/// Runs `body` so that objects which it left to an autorelease pool are let go.
func pooled<R>(_ body: () throws -> R) rethrows -> R {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}

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

/// An object that is expected to die; does not keep it alive.
struct TrackedObject: Sendable {
  /// Which object, while that is alive.
  let identifier: ObjectIdentifier
  let site: CallSite
  private let type: AnyClass
  private let name: String?
  private let life: LifeSign
  private let birth = ContinuousClock.now

  /// - Parameter name: what to call it in reports; its class's name unless given.
  init(_ object: AnyObject, describedAs name: String? = nil, at site: CallSite) {
    identifier = ObjectIdentifier(object)
    type = Swift.type(of: object)
    self.name = name
    self.site = site
    life = LifeSign(object)
  }

  // Made when they are asked for: that takes long, and of most objects nobody reports anything.
  var typeName: String { TypeName.stable(type) }
  var description: String { name ?? TypeName.short(type) }

  /// False once the object's `deinit` has begun.
  var isAlive: Bool { life.isAlive }

  /// What to report if it lives on, with who holds it as far as `search` finds that.
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
