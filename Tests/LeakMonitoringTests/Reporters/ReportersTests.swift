import Testing
import WeakCollections

@testable import LeakMonitoring

struct ReportersTests {
  @Test func `each of several reporters receives a report`() {
    let (first, second) = (CollectedLeaks(), CollectedLeaks())
    let reporter: any LeakReporter = .all(first, second)
    reporter.report(.example())
    #expect(first.all.count == 1 && second.all.count == 1)
  }

  #if DEBUG
    @Test func `a leak fails an assertion, also in tests`() async {
      await #expect(processExitsWith: .failure) {
        AssertionLeakReporter().report(.example())
      }
    }

    @Test func `3.6 a leak that a running task retains fails an assertion`() async {
      await #expect(processExitsWith: .failure) {
        AssertionLeakReporter().report(.example(.retainedByRunningTask))
      }
    }
  #endif

  @Test(arguments: [LeakState.late, .allowed, .longLived])
  func `a report that is not a leak fails no assertion`(_ state: LeakState) {
    AssertionLeakReporter().report(.example(state))
  }

  @Test func `a baseline passes known leaks on as allowed, and judges the run at its end`() throws {
    let leaks = CollectedLeaks()
    let fingerprint = LeakFingerprint(text: "excess App.Session")
    let baseline = LeakBaseline([.init(fingerprint, count: 2, reason: "r")])
    let reporter = BaselineLeakReporter(baseline, telling: leaks)
    for live in [2, 3, 4] { reporter.report(.example(live: live)) }
    reporter.report(.example(type: "App.Other"))
    #expect(leaks.all.map(\.state) == [.allowed, .allowed, .leaked, .leaked])
    #expect(
      reporter.judgement.findings == [
        .new(LeakFingerprint(text: "excess App.Other"), known: 0, found: 1),
        .new(fingerprint, known: 2, found: 3),
      ])
    reporter.report(.example(.late, live: 4))
    reporter.report(.example(.late, type: "App.Other"))
    #expect(reporter.judgement.isFine)
    reporter.report(.example(.late, live: 3))
    #expect(!reporter.judgement.isFine, "outdated")
    #expect(
      leaks.all.map(\.state) == [.allowed, .allowed, .leaked, .leaked, .late, .late],
      "an allowed leak is not reported as late")
  }

  @Test func `3.6 a baseline treats a leak that a running task retains like any other`() {
    let leaks = CollectedLeaks()
    let survivor = LeakFinding.survivor(after: .seconds(1))
    let baseline = LeakBaseline([
      .init(LeakFingerprint(text: "survivor App.Session"), count: 1, reason: "r")
    ])
    let reporter = BaselineLeakReporter(baseline, telling: leaks)
    reporter.report(.example(.retainedByRunningTask, survivor, live: 1, max: 0))
    #expect(reporter.judgement.isFine)
    reporter.report(.example(.retainedByRunningTask, survivor, live: 1, max: 0))
    #expect(leaks.all.map(\.state) == [.allowed, .retainedByRunningTask])
    #expect(!reporter.judgement.isFine)
  }

  @Test func `a leak whose entry has expired is passed on as leaked`() throws {
    let leaks = CollectedLeaks()
    let day = try #require(CalendarDay("2026-11-22"))
    let baseline = LeakBaseline([
      .init(LeakFingerprint(text: "excess App.Session"), count: 1, reason: "r", expires: day)
    ])
    BaselineLeakReporter(baseline, day: day, telling: leaks).report(.example())
    let later = try #require(CalendarDay("2026-11-23"))
    let reporter = BaselineLeakReporter(baseline, day: later, telling: leaks)
    reporter.report(.example())
    #expect(leaks.all.map(\.state) == [.allowed, .leaked])
    #expect(!reporter.judgement.isFine)
  }

  @Test func `reporters are called without a lock, and may use their monitor`() {
    final class Session {}
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let leaks = CollectedLeaks()
    let asking = ClosureLeakReporter { [weak monitor] leak in
      guard let monitor else { return }
      #expect(monitor.liveCounts.values.reduce(0, +) == leak.liveCount)
    }
    monitor.reporter = .all(asking, .baseline(LeakBaseline([]), telling: leaks))
    let sessions = [Session(), Session()]
    for session in sessions { monitor.validate(session, max: 1) }
    #expect(leaks.all.count == 1)
    withExtendedLifetime(sessions) {}
  }
}
