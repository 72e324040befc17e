import Foundation
public import LeakMonitoring

// Disfavored, so that asynchronous code gets the other form even for a synchronous closure.
/// Fails the test if the object that `make` returns survives its release, because something else
/// holds it.
///
/// ```swift
/// await expectDeallocated {
///   let screen = Screen()
///   await screen.open()
///   return screen
/// }
/// ```
///
/// Waits as `withLeakScope` does.
///
/// - Parameters:
///   - duration: The time for which the object may survive.
///   - paths: Whether a failure includes the holder of the object: see `withLeakScope`.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
///   - make: Makes and returns the object.
/// - Throws: The error of `make`. Then nothing was checked.
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

/// Fails the test if the object that `make` returns survives its release; suspends while it waits.
///
/// - Parameters:
///   - duration: The time for which the object may survive.
///   - paths: Whether a failure includes the holder of the object: see `withLeakScope`.
///   - isolation: The isolation of the caller, in which `make` runs.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
///   - make: Makes and returns the object.
/// - Throws: The error of `make`. Then nothing was checked.
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

/// Sets a variable to nil, and fails the test if the variable's object survives, or if the variable
/// was nil before.
///
/// Waits as `withLeakScope` does. Pass a local variable: the function has exclusive access to it
/// until it returns, so code in the run loop that reads the variable meanwhile traps. For a
/// property, track its object in `withLeakScope` and set the property to nil there.
///
/// - Parameters:
///   - object: The variable, which is nil after the call.
///   - duration: The time for which the object may survive.
///   - paths: Whether a failure includes the holder of the object: see `withLeakScope`.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
public func expectDeallocated<Object: AnyObject>(
  _ object: inout Object?, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  release(&object, at: site, showing: paths).endPumping(within: duration)
}

/// Sets a variable to nil, and fails the test if the variable's object survives, or if the variable
/// was nil before; suspends while it waits.
///
/// - Parameters:
///   - object: The variable, which is nil after the call.
///   - duration: The time for which the object may survive.
///   - paths: Whether a failure includes the holder of the object: see `withLeakScope`.
///   - isolation: The isolation of the caller.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
public func expectDeallocated<Object: AnyObject>(
  _ object: inout Object?, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  await release(&object, at: site, showing: paths).end(within: duration)
}

private func release<Object: AnyObject>(
  _ object: inout Object?, at site: CallSite, showing paths: RetainPaths?
) -> LeakScope {
  let scope = LeakScope(showing: paths)
  if let object {
    scope.add(object, at: site)
  } else {
    RunningTest.record(
      "expectDeallocated got a variable that is nil, so nothing was checked; "
        + "pass a variable with an object",
      at: site)
  }
  object = nil
  return scope
}

// MARK: Waiting

/// A check for surviving objects that repeats until there are none or their grace period is over.
///
/// The first check is immediate, because most objects are already deallocated by then. Each pause
/// between checks is twice as long as the previous one, up to `Grace.interval`.
struct Patience<Finding> {
  private enum Step {
    /// The final survivors, which outlived the grace period; empty if every object is deallocated.
    case over([Finding])
    /// The pause before the next check.
    case wait(Duration)
  }

  private let look: () -> [Finding]
  private let clock = WaitingClock.current
  private var grace: Grace
  private var pause: Duration = .milliseconds(1)

  init(_ duration: Duration, look: @escaping () -> [Finding]) {
    self.look = look
    grace = Grace(duration, from: clock.now())
  }

  private mutating func next() -> Step {
    let found = look()
    if found.isEmpty || grace.poll(at: clock.now()) { return .over(found) }
    defer { pause = min(pause * 2, grace.interval) }
    return .wait(pause)
  }

  /// Blocks until the check is over, and returns the survivors; pumps the thread's run loop
  /// meanwhile.
  mutating func waitPumping() -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): clock.pump(duration)
      }
    }
  }

  /// Suspends until the check is over, and returns the survivors.
  mutating func wait() async -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): await clock.sleep(duration)
      }
    }
  }
}

/// A clock with two ways to wait: suspend the task, or pump the run loop of the thread.
struct WaitingClock: Sendable {
  /// The clock of the running task. Only tests of waiting set another one.
  @TaskLocal static var current = WaitingClock.continuous

  /// Returns the time since a fixed moment.
  let now: @Sendable () -> Duration
  /// Suspends the task, even if it is cancelled.
  let sleep: @Sendable (Duration) async -> Void
  /// Runs other work on the thread, such as the work of the main actor, for at most a duration.
  let pump: @Sendable (Duration) -> Void

  static let continuous: WaitingClock = {
    let origin = ContinuousClock.now
    return WaitingClock(
      now: { origin.duration(to: .now) },
      sleep: { duration in
        // In a task of its own: a cancelled task does not sleep, so the checks would become a busy
        // loop.
        await Task { try? await Task.sleep(for: duration) }.value
      },
      pump: pumpRunLoop)
  }()

  /// Runs the thread's run loop until a source has fired, at most for `duration`; sleeps for
  /// `duration` if the loop has no sources.
  private static func pumpRunLoop(for duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    let end = Date(timeIntervalSinceNow: seconds)
    if !RunLoop.current.run(mode: .default, before: end) { Thread.sleep(until: end) }
  }
}
