import Foundation
public import LeakMonitoring

/// Fails the test if the object that `make` returns lives on after it is released: nothing else
/// should hold it.
///
/// ```swift
/// await expectDeallocated {
///   let screen = Screen()
///   await screen.open()
///   return screen
/// }
/// ```
///
/// Waits as `withLeakScope` does, at most `duration`, and uses `paths` as that does.
// Disfavored, so that code that suspends gets the other form even for a closure that does not
// suspend.
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

/// Fails the test if the object that `make` returns lives on after it is released; suspends while
/// it waits.
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

/// Sets `object` to nil and fails the test if the object lives on. Waits as `withLeakScope` does,
/// and uses `paths` as that does.
///
/// Pass a local variable. This has exclusive access to it until it returns, so code in the run loop
/// that reads the variable meanwhile traps. For a property, track its object in `withLeakScope` and
/// set the property to nil there.
public func expectDeallocated<Object: AnyObject>(
  _ object: inout Object?, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  release(&object, at: site, showing: paths).endPumping(within: duration)
}

/// Sets `object` to nil and fails the test if the object lives on; suspends while it waits.
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
    RunningTest.record("expected an object to let go of, found nil", at: site)
  }
  object = nil
  return scope
}

// MARK: Waiting

/// Repeats a check for objects that live on until there are none or their grace is over.
///
/// The first check is immediate and the pauses between checks double: most objects are gone at the
/// first check.
struct Patience<Finding> {
  private enum Step {
    /// The survivors, of which there are none or whose grace is over.
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

  /// Returns the survivors; pumps the run loop of the calling thread meanwhile.
  mutating func waitPumping() -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): clock.pump(duration)
      }
    }
  }

  /// Returns the survivors; suspends meanwhile.
  mutating func wait() async -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): await clock.sleep(duration)
      }
    }
  }
}

/// How checks wait: a task sleeps, a thread pumps its run loop.
struct WaitingClock: Sendable {
  /// The clock of the running task; tests of waiting set another.
  @TaskLocal static var current = WaitingClock.continuous

  /// Returns the time since a fixed moment.
  let now: @Sendable () -> Duration
  /// Suspends the task, even if it is cancelled.
  let sleep: @Sendable (Duration) async -> Void
  /// Lets the thread do other work, such as the main actor's.
  let pump: @Sendable (Duration) -> Void

  static let continuous: WaitingClock = {
    let origin = ContinuousClock.now
    return WaitingClock(
      now: { origin.duration(to: .now) },
      sleep: { duration in
        // In a task of its own: a cancelled task does not sleep, and would only poll faster.
        await Task { try? await Task.sleep(for: duration) }.value
      },
      pump: pumpRunLoop)
  }()

  /// Runs the thread's run loop for `duration`; sleeps if the loop has nothing to run.
  private static func pumpRunLoop(for duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    let end = Date(timeIntervalSinceNow: seconds)
    if !RunLoop.current.run(mode: .default, before: end) { Thread.sleep(until: end) }
  }
}
