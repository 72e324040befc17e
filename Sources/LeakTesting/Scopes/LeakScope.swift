import LeakMonitoring
import WeakCollections

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
