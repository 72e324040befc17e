import Testing
import WeakCollections

@testable import LeakMonitoring

/// A check that finds a leak until the test calls `endLeak()`.
private final class ScriptedCheck: LeakCheck {
  private let isGone = MutexLock(false)
  private let onResolve: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void
  private let next: MutexLock<ScriptedCheck?>
  private let isOfOneSubject: Bool

  init(
    onResolve: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable () -> Void = {},
    next: ScriptedCheck? = nil, isOfOneSubject: Bool = false
  ) {
    self.onResolve = onResolve
    self.onEnd = onEnd
    self.next = MutexLock(next)
    self.isOfOneSubject = isOfOneSubject
  }

  deinit { onEnd() }

  var subject: CheckSubject? {
    let type = ObjectIdentifier(ScriptedCheck.self)
    return isOfOneSubject ? CheckSubject(suspicions: type, type: type) : nil
  }

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

  /// Returns `next` only after the leak ended.
  func successor() -> ScriptedCheck? {
    guard isGone.read({ $0 }) else { return nil }
    return next.write { next in
      defer { next = nil }
      return next
    }
  }

  func resolve(_ report: LeakReport) -> Bool {
    onResolve()
    return true
  }
}

/// Counts events, and resumes a test that waits for a number of them.
private final class EventCount: Sendable {
  private let state = MutexLock((count: 0, waiters: Waiters()))

  func note() {
    let ready = state.write { state in
      state.count += 1
      return state.waiters.take(at: state.count)
    }
    for waiter in ready { waiter.resume() }
  }

  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let ready = state.write { state in
        state.waiters.add(continuation, for: count)
        return state.waiters.take(at: state.count)
      }
      for waiter in ready { waiter.resume() }
    }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct RunningChecksTests {
  private let leaks = CollectedLeaks()
  private let clock = ManualClock()

  @Test func `a check that is cancelled between the deallocation and its report is not late`() async
  {
    let checks = makeChecks()
    await withCheckedContinuation { ended in
      // The check that `makeChecks()` begins first has the number 1.
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

  @Test func `a check has a successor for instances that appear after its last poll`() async {
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

  @Test func `of a subject's reported checks one waits, and each reports its late deallocation`()
    async
  {
    let checks = makeChecks()
    let all = (0..<5).map { _ in ScriptedCheck(isOfOneSubject: true) }
    for (reported, check) in all.enumerated() {
      checks.begin(check, grace: .zero)
      // One check is undecided, and one waits for a late deallocation if a check has reported.
      await clock.tick(20, sleepers: min(reported, 1) + 1)
      await checks.settle()
    }
    #expect(leaks.all.count == all.count)
    await clock.rest()
    #expect(clock.sleeperCount == 1)
    for (gone, check) in all.reversed().enumerated() {
      check.endLeak()
      await clock.tick()
      #expect(await leaks.first(all.count + gone + 1).last?.state == .late)
    }
    #expect(leaks.all.count == 2 * all.count)
  }

  @Test func `a parked check whose objects are gone reports them as late when its turn comes`()
    async
  {
    let checks = makeChecks()
    let (first, last) = (
      ScriptedCheck(isOfOneSubject: true), ScriptedCheck(isOfOneSubject: true)
    )
    for (reported, check) in [first, last].enumerated() {
      checks.begin(check, grace: .zero)
      await clock.tick(20, sleepers: reported + 1)
      await checks.settle()
    }
    first.endLeak()
    await clock.tick()
    await clock.rest()
    #expect(leaks.all.map(\.state) == [.leaked, .leaked])
    last.endLeak()
    await clock.tick(2)
    #expect(await leaks.first(4).map(\.state) == [.leaked, .leaked, .late, .late])
  }

  @Test func `parked checks end when the monitor closes`() async {
    let resolved = EventCount()
    let checks = makeChecks()
    for reported in 0..<3 {
      checks.begin(
        ScriptedCheck(onResolve: { resolved.note() }, isOfOneSubject: true), grace: .zero)
      await clock.tick(20, sleepers: min(reported, 1) + 1)
      await checks.settle()
    }
    checks.close()
    await resolved.wait(for: 3)
    #expect(clock.sleeperCount == 0)
    #expect(leaks.all.count == 3)
  }

  private func makeChecks() -> RunningChecks {
    RunningChecks(clock: PollingClock(clock)) { [leaks] in leaks.report($0) }
  }
}

private final class Session {}

struct SuspicionsTests {
  private let suspicions = Suspicions()
  private let type = ObjectIdentifier(Session.self)

  @Test func `a class has one undecided suspicion at a time`() {
    #expect(begin(2)?.floor == 1)
    #expect(begin(3) == nil)
    #expect(suspicions.begin(of: ObjectIdentifier(Int.self), liveCount: 2, max: 1)?.floor == 1)
    suspicions.dismiss(type)
    #expect(begin(2)?.floor == 1)
  }

  @Test func `a reported excess is suspected again when it grows, or after it ended`() throws {
    let first = try #require(begin(2))
    suspicions.conclude(type, first, 2)
    #expect(begin(2) == nil)
    let second = try #require(begin(3))
    #expect(second.floor == 2)
    suspicions.conclude(type, second, 3)
    #expect(suspicions.resolve(type, second))
    #expect(begin(3)?.floor == 2)
    suspicions.dismiss(type)
    #expect(suspicions.resolve(type, first))
    #expect(begin(2)?.floor == 1)
  }

  @Test func `a reported excess is suspected again after its removal, and then does not resolve`()
    throws
  {
    let first = try #require(begin(2))
    suspicions.conclude(type, first, 2)
    suspicions.removeReported()
    let second = try #require(begin(2))
    suspicions.removeReported()
    #expect(begin(2) == nil)
    suspicions.conclude(type, second, 2)
    #expect(!suspicions.resolve(type, first))
    #expect(begin(2) == nil)
    #expect(suspicions.resolve(type, second))
  }

  private func begin(_ liveCount: Int) -> Suspicions.Begun? {
    suspicions.begin(of: type, liveCount: liveCount, max: 1)
  }

  /// An instance is added between the last poll and the decision, when no other check looks for it.
  @Test func `a check that is decided looks for instances that were added meanwhile`() throws {
    let registry = InstanceRegistry(.mutex)
    var sessions = [Session(), Session()]
    for session in sessions { _ = registry.add(session, 1) }
    let suspicion = try #require(begin(2))
    let check = ExcessCheck(
      count: registry.liveCount, suspicions: suspicions, exemptions: Exemptions(.mutex), type: type,
      suspicion: suspicion,
      report: LeakReport(
        typeName: "Session", description: "Session", liveCount: 2, max: 1,
        site: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column)))
    let found = try #require(check.look())
    sessions.append(Session())
    _ = registry.add(sessions[2], 1)
    #expect(begin(3) == nil)
    let reported = check.conclude(found)
    let next = try #require(check.successor())
    #expect(next.suspicion.floor == 2 && next.look()?.liveCount == 3)
    #expect(next.successor() == nil)
    next.dismiss()
    sessions = []
    #expect(check.look() == nil && check.successor() == nil)
    #expect(check.resolve(reported))
    #expect(begin(2)?.floor == 1)
    withExtendedLifetime(sessions) {}
  }
}
