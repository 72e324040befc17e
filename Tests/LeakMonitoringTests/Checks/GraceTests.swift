import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakMonitoring

struct GraceTests {
  @Test func `a grace period ends after its duration and twenty polls`() {
    let times = (1...20).map { Duration.seconds(100) + .milliseconds(50) * $0 }
    #expect(firstEnd(of: Grace(.seconds(1), from: .seconds(100)), at: times) == .seconds(101))
  }

  @Test func `a grace period does not end before twenty polls`() {
    let times = (1...30).map { Duration.seconds($0) }
    #expect(firstEnd(of: Grace(.seconds(1), from: .zero), at: times) == .seconds(20))
  }

  @Test func `a grace period does not end before its duration`() {
    let times = (1...2000).map { Duration.milliseconds($0) }
    #expect(firstEnd(of: Grace(.seconds(1), from: .zero), at: times) == .seconds(1))
  }

  @Test func `a gap of more than a second restarts the grace period`() {
    let early = (1...19).map { Duration.milliseconds(50 * $0) }
    let late = (0...30).map { Duration.milliseconds(950 + 1001 + 50 * $0) }
    #expect(
      firstEnd(of: Grace(.seconds(1), from: .zero), at: early + late) == .milliseconds(2951))
  }

  @Test func `a gap before the first poll restarts the grace period, a gap of one second does not`()
  {
    let times = (0...30).map { Duration.milliseconds(1001 + 1000 * $0) }
    #expect(firstEnd(of: Grace(.zero, from: .zero), at: times) == .milliseconds(21_001))
  }

  @Test(arguments: [
    (Duration.zero, Duration.milliseconds(1)), (.milliseconds(100), .milliseconds(5)),
    (.seconds(60), .milliseconds(250)),
  ])
  func `polls are at least a millisecond apart, and closer than a gap`(
    _ duration: Duration, _ interval: Duration
  ) {
    #expect(Grace(duration, from: .zero).interval == interval)
  }

  /// Returns the first of `times` at which `grace` is over.
  private func firstEnd(of grace: Grace, at times: [Duration]) -> Duration? {
    var grace = grace
    return times.first { grace.poll(at: $0) }
  }
}

private final class Session: MemoryLeakMonitorable {
  init(_ monitor: MemoryLeakMonitor, grace: Duration? = nil) {
    monitor.validate(self, grace: grace)
  }
}

private final class Pair {
  var session: Session?
}

/// The clock of these tests is manual. A grace period of one second is polled every 50 ms.
@Suite(.timeLimit(.minutes(10)))
struct GracedValidationTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `D 0.o: the immediate form reports a reassignment immediately, as published`() {
    let pair = Pair()
    pair.session = Session(monitor)
    pair.session = Session(monitor)
    #expect(leaks.all.map(\.liveCount) == [2])
    #expect(leaks.all.first?.message.contains("validate(self, grace: .seconds(1))") == true)
    #expect(monitor.liveCount(of: Session.self) == 1)
  }

  @Test func `D 0.o: reassignment is no leak in the graced form`() async {
    let pair = Pair()
    for _ in 0..<100 { pair.session = Session(monitor, grace: .seconds(1)) }
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
    withExtendedLifetime(pair) {}
  }

  @Test func `an excess is reported as leaked, and as late when it ends after the report`()
    async throws
  {
    let sessions = Pair()
    let kept = Session(monitor)
    sessions.session = Session(monitor, grace: .seconds(1))
    await clock.tick(19)
    await clock.rest()
    #expect(leaks.all.isEmpty)
    await clock.tick()
    await monitor.settle()
    let leak = try #require(leaks.all.first)
    #expect(leaks.all.count == 1)
    #expect(leak.state == .leaked)
    #expect(leak.finding == .excess(after: .seconds(1)))
    #expect(leak.liveCount == 2 && leak.max == 1)
    #expect(leak.message.hasSuffix("are alive, expected at most 1, still after 1.0 seconds"))
    await clock.tick()
    await clock.rest()
    sessions.session = nil
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
    #expect(
      leaks.all[1].message.hasSuffix(
        "Session were deallocated after the grace period"))
    withExtendedLifetime(kept) {}
  }

  @Test func `the grace period restarts after the process was suspended`() async {
    var sessions = [Session(monitor), Session(monitor, grace: .seconds(1))]
    await clock.tick(19)
    await clock.tick(delay: .milliseconds(1001))
    await clock.tick(19)
    await clock.rest()
    #expect(leaks.all.isEmpty)
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.count == 1)
    sessions = []
    await clock.tick()
    #expect(await leaks.first(2).count == 2)
    withExtendedLifetime(sessions) {}
  }

  @Test func `a class with many excess instances has one report, with their number`() async {
    var sessions = (0..<10).map { _ in Session(monitor, grace: .seconds(1)) }
    await clock.tick(10)
    sessions.append(Session(monitor, grace: .seconds(1)))
    await clock.tick(10)
    await monitor.settle()
    #expect(leaks.all.map(\.liveCount) == [11])
    sessions = []
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
    withExtendedLifetime(sessions) {}
  }

  @Test func `a higher excess is reported again, an unchanged one is not`() async {
    var sessions = [Session(monitor), Session(monitor, grace: .seconds(1))]
    await clock.tick(20)
    await monitor.settle()
    sessions[1] = Session(monitor, grace: .seconds(1))
    // The first check waits for a late deallocation, polling once a second; the second looks for
    // the third instance.
    await clock.tick(sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.liveCount) == [2])
    sessions.append(Session(monitor, grace: .seconds(1)))
    await clock.tick(20, sleepers: 2)
    #expect(await leaks.first(2).map(\.liveCount) == [2, 3])
    await monitor.settle()
    sessions = []
    await clock.tick(2, sleepers: 1)
    #expect(await leaks.first(4).map(\.state) == [.leaked, .leaked, .late, .late])
    withExtendedLifetime(sessions) {}
  }

  @Test func `under the graced policy, a validation without a grace period has one`() async {
    monitor.policy = .graced(.milliseconds(100))
    let pair = Pair()
    pair.session = Session(monitor)
    pair.session = Session(monitor)
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
    monitor.policy = .immediate
    pair.session = Session(monitor)
    #expect(leaks.all.count == 1)
    withExtendedLifetime(pair) {}
  }

  @Test func `the static policy is that of the current monitor`() {
    MemoryLeakMonitor.withIsolation {
      MemoryLeakMonitor.policy = .graced()
      #expect(MemoryLeakMonitor.current.policy == .graced(.seconds(1)))
      MemoryLeakMonitor.withIsolation { #expect(MemoryLeakMonitor.policy == .graced()) }
    }
    #expect(MemoryLeakMonitor.shared.policy == .immediate)
  }

  @Test func `checks are decided after their monitor is released, and then end`() async {
    var monitor: MemoryLeakMonitor? = MemoryLeakMonitor(backend: .mutex, clock: clock)
    monitor?.reporter = leaks
    let sessions = [Session(monitor!), Session(monitor!, grace: .seconds(1))]
    monitor = nil
    await clock.tick(20)
    #expect(await leaks.first(1).map(\.state) == [.leaked])
    withExtendedLifetime(sessions) {}
  }

  @Test func `the checks of an isolated body are decided before it ends`() async {
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      async let ticks: Void = clock.tick(20)
      var sessions: [Session] = []
      await MemoryLeakMonitor.withIsolation {
        let inner = MemoryLeakMonitor.current
        sessions = [Session(inner), Session(inner, grace: .zero)]
        await Task.yield()
      }
      #expect(leaks.all.map(\.liveCount) == [2])
      withExtendedLifetime(sessions) {}
      await ticks
    }
  }

  @Test func `the system clock ends a grace period too`() async {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = leaks
    let sessions = [Session(monitor), Session(monitor, grace: .zero)]
    #expect(await leaks.first(1).map(\.state) == [.leaked])
    withExtendedLifetime(sessions) {}
  }
}
