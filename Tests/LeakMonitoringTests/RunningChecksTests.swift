import Testing
import WeakCollections

@testable import LeakMonitoring

/// What a test says is a leak, until it says that it is gone.
private final class ScriptedCheck: LeakCheck {
  private let isGone = MutexLock(false)
  private let onResolve: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void
  private let next: MutexLock<ScriptedCheck?>

  init(
    onResolve: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable () -> Void = {},
    next: ScriptedCheck? = nil
  ) {
    self.onResolve = onResolve
    self.onEnd = onEnd
    self.next = MutexLock(next)
  }

  deinit { onEnd() }

  func endLeak() { isGone.write { $0 = true } }

  func look() -> LeakReport? {
    isGone.read { $0 }
      ? nil
      : LeakReport(
        typeName: "Page", description: "Page", liveCount: 2, max: 1,
        site: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column))
  }

  func dismiss() {}

  func conclude(_ found: LeakReport) -> LeakReport { found }

  /// Only what came after the last look.
  func successor() -> ScriptedCheck? {
    guard isGone.read({ $0 }) else { return nil }
    return next.write { next in
      defer { next = nil }
      return next
    }
  }

  func resolve(_ told: LeakReport) -> Bool {
    onResolve()
    return true
  }
}

@Suite(.timeLimit(.minutes(10)))
struct RunningChecksTests {
  private let leaks = CollectedLeaks()
  private let clock = ManualClock()

  @Test func `what is cancelled when it is gone, but not told yet, is not late`() async {
    let checks = makeChecks()
    await withCheckedContinuation { ended in
      // The first of its checks, so that its number is 1.
      let check = ScriptedCheck(onResolve: { checks.cancel(1) }, onEnd: { ended.resume() })
      checks.begin(check, grace: .zero)
      Task { [clock] in
        await clock.tick(20)
        await clock.rest()
        check.endLeak()
        await clock.tick()
      }
    }
    #expect(leaks.all.map(\.state) == [.leaked])
  }

  @Test func `what came between the last look and the end is looked for`() async {
    let checks = makeChecks()
    let check = ScriptedCheck(next: ScriptedCheck())
    checks.begin(check, grace: .zero)
    await clock.tick(20)
    await clock.rest()
    check.endLeak()
    await clock.tick(21)
    #expect(await leaks.first(3).count { $0.state == .leaked } == 2)
    checks.close()
  }

  private func makeChecks() -> RunningChecks {
    RunningChecks(clock: PollingClock(clock)) { [leaks] in leaks.report($0) }
  }
}
