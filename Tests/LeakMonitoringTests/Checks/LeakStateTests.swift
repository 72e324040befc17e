import LeakMonitoring
import Testing
import WeakCollections

private final class Node: MemoryLeakMonitorable {
  var peer: Node?

  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self, grace: .zero)
  }
}

/// Objects that reach each state.
@Suite(.timeLimit(.minutes(10)))
struct LeakStateTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `leaked, then late: a cycle that is broken after its report`() async {
    let cycle = WeakReference(makeCycle())
    await decide()
    #expect(leaks.all.map(\.state) == [.leaked])
    cycle.promote()?.peer = nil
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
  }

  @Test func `allowed: a cycle of a class that is allowed to leak`() async {
    monitor.allowLeaks(of: Node.self, upTo: 1)
    let cycle = WeakReference(makeCycle())
    await decide()
    #expect(leaks.all.map(\.state) == [.allowed])
    #expect(leaks.all[0].message.hasSuffix("(allowed)"))
    let another = WeakReference(makeCycle())
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.state) == [.allowed, .leaked])
    another.promote()?.peer = nil
    cycle.promote()?.peer = nil
    await clock.tick(2, sleepers: 1)
    // An allowed leak that is deallocated is not reported as late.
    #expect(await leaks.first(3).map(\.state) == [.allowed, .leaked, .late])
  }

  @Test func `long-lived: an instance that lives as long as the program, besides later instances`()
    async
  {
    let first = Node(monitor)
    monitor.markLongLived(first)
    let second = Node(monitor)
    await decide()
    #expect(leaks.all.map(\.state) == [.longLived])
    let third = Node(monitor)
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.state) == [.longLived, .leaked])
    withExtendedLifetime((first, second, third)) {}
  }

  @Test func `the immediate form reports the states too`() {
    final class Screen {}
    let screens = [Screen(), Screen(), Screen()]
    monitor.markLongLived(screens[0])
    monitor.allowLeaks(of: Screen.self, upTo: 1)
    for screen in screens { monitor.validate(screen, max: 0) }
    #expect(leaks.all.map(\.state) == [.longLived, .allowed, .leaked])
    withExtendedLifetime(screens) {}
  }

  @Test func `an allowance can be withdrawn`() {
    final class Screen {}
    let screen = Screen()
    monitor.allowLeaks(of: Screen.self, upTo: 1)
    monitor.validate(screen, max: 0)
    monitor.allowLeaks(of: Screen.self, upTo: 0)
    monitor.validate(screen, max: 0)
    #expect(leaks.all.map(\.state) == [.allowed, .leaked])
  }

  @Test func `removing objects forgets their reports, and that they are long-lived`() async {
    let forgotten = [Node(monitor), Node(monitor)]
    await decide()
    monitor.removeAll()
    let nodes = [Node(monitor), Node(monitor)]
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.state) == [.leaked, .leaked])
    final class Screen {}
    let screen = Screen()
    monitor.markLongLived(screen)
    monitor.remove(screen)
    monitor.validate(screen, max: 0)
    #expect(leaks.all.map(\.state) == [.leaked, .leaked, .leaked])
    withExtendedLifetime((forgotten, nodes)) {}
  }

  @Test func `D 0.p: only a leaked object fails a test, and nothing traps`() async {
    let monitor = MemoryLeakMonitor(backend: .lockFree, clock: clock)
    monitor.allowLeaks(of: Node.self, upTo: 1)
    let nodes = [Node(monitor), Node(monitor)]
    await clock.tick(20)
    await monitor.settle()
    await withKnownIssue {
      let another = Node(monitor)
      await clock.tick(20, sleepers: 2)
      await monitor.settle()
      withExtendedLifetime(another) {}
    } matching: {
      $0.comments.first?.rawValue.contains("3 instances of LeakMonitoringTests.Node") == true
    }
    withExtendedLifetime(nodes) {}
  }

  /// Makes two nodes that retain each other, one more than `max`; returns one of them.
  private func makeCycle() -> Node {
    let (one, other) = (Node(monitor), Node(monitor))
    one.peer = other
    other.peer = one
    return one
  }

  /// Polls twenty times, which ends a grace period of zero.
  private func decide() async {
    await clock.tick(20)
    await monitor.settle()
  }
}

private final class Session: MemoryLeakMonitorable {
  var max: Int {
    #expect(MemoryLeakMonitor.isEnabled)
    return 1
  }

  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

/// In child processes, because the switch affects all tests.
struct EnablingTests {
  @Test func `in tests the monitor is enabled, also in optimized builds`() {
    #expect(MemoryLeakMonitor.isEnabled)
  }

  @Test func `a disabled monitor reads no max, stores nothing and reports nothing`() async {
    await #expect(processExitsWith: .success) {
      let monitor = MemoryLeakMonitor(backend: .lockFree)
      let leaks = CollectedLeaks()
      monitor.reporter = leaks
      MemoryLeakMonitor.isEnabled = false
      let sessions = [Session(monitor), Session(monitor)]
      for session in sessions { monitor.validate(session, max: 0) }
      #expect(leaks.all.isEmpty)
      #expect(monitor.liveCount(of: Session.self) == 0)
      withExtendedLifetime(sessions) {}
    }
  }

  @Test func `a program that asks for reports and disables monitors is told once`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        MemoryLeakMonitor.isEnabled = false
        MemoryLeakMonitor.shared.reporter = CollectedLeaks()
        MemoryLeakMonitor.isEnabled = false
        _ = MemoryLeakMonitor.events
        #expect(!MemoryLeakMonitor.isEnabled)
      })
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("isEnabled") }
    #expect(lines == ["nothing is counted, because MemoryLeakMonitor.isEnabled is false"])
  }

  @Test func `a monitor that is enabled again counts from then on`() async {
    await #expect(processExitsWith: .success) {
      let monitor = MemoryLeakMonitor(backend: .lockFree)
      let leaks = CollectedLeaks()
      monitor.reporter = leaks
      MemoryLeakMonitor.isEnabled = false
      let unseen = Session(monitor)
      MemoryLeakMonitor.isEnabled = true
      let first = Session(monitor)
      #expect(leaks.all.isEmpty)
      let second = Session(monitor)
      #expect(leaks.all.map(\.liveCount) == [2])
      withExtendedLifetime((unseen, first, second)) {}
    }
  }
}
