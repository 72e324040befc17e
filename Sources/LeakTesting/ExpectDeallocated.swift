import Foundation
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

/// Looks for objects that live on, again and again until there are none or their grace is over.
///
/// It looks at once, then soon, and ever more seldom: most are gone at the first look.
struct Patience<Finding> {
  enum Step {
    /// What is left: nothing, or what no grace is left for.
    case over([Finding])
    /// To be asked again after so long.
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

  /// Returns what is left; pumps the run loop of the calling thread meanwhile.
  mutating func waitPumping() -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): clock.pump(duration)
      }
    }
  }

  /// Returns what is left; suspends meanwhile.
  mutating func wait() async -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): await clock.sleep(duration)
      }
    }
  }
}

/// How checks let time pass: a task sleeps, a thread pumps its run loop.
struct WaitingClock: Sendable {
  /// The clock of the running task; another one than the system's in tests of waiting.
  @TaskLocal static var current = WaitingClock.continuous

  /// The time since any moment.
  let now: @Sendable () -> Duration
  /// Suspends the task, whether or not it is cancelled.
  let sleep: @Sendable (Duration) async -> Void
  /// Lets the thread do other work, such as what the main actor is to do.
  let pump: @Sendable (Duration) -> Void

  static let continuous: WaitingClock = {
    let origin = ContinuousClock.now
    return WaitingClock(
      now: { origin.duration(to: .now) },
      sleep: { duration in
        // In a task of its own: one that is cancelled does not sleep, and would only poll faster.
        await Task { try? await Task.sleep(for: duration) }.value
      },
      pump: pumpRunLoop)
  }()

  /// Runs the thread's run loop for so long; sleeps if it has nothing to run.
  private static func pumpRunLoop(for duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    let end = Date(timeIntervalSinceNow: seconds)
    if !RunLoop.current.run(mode: .default, before: end) { Thread.sleep(until: end) }
  }
}
