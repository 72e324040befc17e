import WeakCollections
public import LeakMonitoring

/// The objects that a test, or a part of a test, tracks: all of them should be gone soon after its
/// end.
///
/// `withLeakScope` and the trait `.noLeaks` make a scope. It belongs to the task: child tasks and
/// tasks made by `Task {}` track in it too. A detached task or a thread does not inherit it and
/// must be passed it: call `scope.track(object)`, or `withLeakScope(in: scope) { }` around the code
/// that tracks.
public final class LeakScope: Sendable {
  private struct State {
    var tracked: [TrackedObject] = []
    /// Whether an object was tracked here or in an inner scope, or an inner scope reports an empty
    /// test itself.
    var isUsed = false
    var hasEnded = false
    /// The longest grace that an object was tracked with.
    var grace: Duration = .zero
    /// The number of tracked objects at the last check.
    var looked = 0
  }

  @TaskLocal private static var innermost: LeakScope?

  /// The innermost scope of the running task; nil outside of all scopes.
  public static var current: LeakScope? { innermost }

  private let outer: LeakScope?
  /// Whether failures say what holds a survivor.
  let paths: RetainPaths
  private let state = MutexLock(State())

  /// - Parameter paths: If nil, those of the outer scope, or else of the monitor.
  init(inside outer: LeakScope? = LeakScope.current, showing paths: RetainPaths? = nil) {
    self.outer = outer
    self.paths = paths ?? outer?.paths ?? MemoryLeakMonitor.retainPaths
    self.paths.requireTime()
  }

  /// Expects `object` to be gone soon after the scope's end; returns it.
  ///
  /// An object that is tracked after the end is a failure immediately, since the scope no longer
  /// checks.
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

  /// The longest grace that an object was tracked with.
  var grace: Duration { state.read { $0.grace } }

  /// Whether nothing was tracked here or in an inner scope.
  var isEmpty: Bool { state.read { !$0.isUsed } }

  /// Keeps this scope and the outer ones from reporting that nothing was tracked.
  func noteUse() {
    state.write { $0.isUsed = true }
    outer?.noteUse()
  }

  /// The tracked objects that are alive, each once, in the order of tracking.
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

  /// Waits until no object is left, at most `duration`; records the survivors and ends the scope.
  /// Pumps the run loop.
  func endPumping(within duration: Duration) {
    var patience = Patience(duration) { self.survivors }
    conclude(patience.waitPumping(), duration)
  }

  /// Ends the scope as `endPumping` does, but suspends.
  ///
  /// - Parameter others: The objects that this neither waits for nor records.
  /// - Returns: The survivors that it recorded.
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

  /// Ends the scope, whose survivors the caller records; records objects tracked since the last
  /// check as late.
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

// MARK: Tracking

/// Runs `body` in a new scope and fails the test for each object that was tracked in it and lives
/// on, at the line that tracks it.
///
/// Waits until the last object is gone, at most `duration`, or longer if the machine is so busy
/// that this could hardly check. Meanwhile it pumps the thread's run loop. Code that needs this
/// actor and not that loop, such as code on the main actor in a test of Swift Testing on Linux,
/// cannot run: use the form that suspends. The value that `body` returns or throws is alive during
/// the check and must not hold a tracked object.
///
/// - Parameters:
///   - scope: The scope in which `body` tracks instead of a new one, such as `LeakScope.current` of
///     the code that started this task or thread. The code that opened it checks it.
///   - duration: How long a tracked object may live on.
///   - paths: Whether a failure says what holds a survivor. If nil, the outer scope decides, or
///     else `MemoryLeakMonitor.retainPaths`. The form that suspends does not search on the main
///     actor.
///   - body: The code that tracks.
// Disfavored, so that code that suspends gets the other form even for a body that does not suspend.
@_disfavoredOverload
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  _ body: () throws -> R
) rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  defer { if scope == nil { inner.endPumping(within: duration) } }
  return try inner.run { try pooled(body) }
}

/// Runs `body` in a new scope, as the other form does, but suspends while it waits.
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

/// Expects `object` to be gone soon after the end of the innermost scope; returns it.
///
/// ```swift
/// @Test(.noLeaks) func `a screen is released`() {
///   let screen = track(Screen())
///   screen.open()
/// }
/// ```
///
/// A survivor fails the test at this line. The scope is that of `withLeakScope` or of the trait
/// `.noLeaks`; in an `XCTestCase` outside of these it is the test, as for `trackForMemoryLeaks`.
/// Elsewhere this call itself fails.
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

/// An object that a test expects to die; does not keep it alive.
struct TrackedObject: Sendable {
  /// The object's identity while it is alive.
  let identifier: ObjectIdentifier
  let site: CallSite
  private let type: AnyClass
  private let name: String?
  private let life: LifeSign
  private let birth = ContinuousClock.now

  /// - Parameter name: Its name in reports; by default that of its class.
  init(_ object: AnyObject, describedAs name: String? = nil, at site: CallSite) {
    identifier = ObjectIdentifier(object)
    type = Swift.type(of: object)
    self.name = name
    self.site = site
    life = LifeSign(object)
  }

  // Computed on demand: it takes long, and most objects are never reported.
  var typeName: String { TypeName.stable(type) }
  var description: String { name ?? TypeName.short(type) }

  /// False once the object's `deinit` has begun.
  var isAlive: Bool { life.isAlive }

  /// The report of an object that lives on, with what holds it if `search` finds that.
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

/// Runs `body` in an autorelease pool where the platform has them.
func pooled<R>(_ body: () throws -> R) rethrows -> R {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
