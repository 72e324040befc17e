import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen {
  var onClose: (() -> Void)?
}

private actor Loader {
  private var kept: Loader?

  func keepItself() { kept = self }
  func breakCycles() { kept = nil }
}

@Suite(.timeLimit(.minutes(10)))
struct ExpectedDeallocationTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `an object that is deallocated in time is no leak`() async {
    var screen: Screen? = Screen()
    monitor.expectDeallocation(of: screen!)
    await clock.tick(19)
    await clock.rest()
    screen = nil
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
  }

  @Test func `a survivor is reported at its expectation, and again when deallocated late`()
    async throws
  {
    let screen = WeakReference(screenWithCycle())
    let line = try expectDeallocation(of: screen)
    await clock.tick(20)
    await monitor.settle()
    let leak = try #require(leaks.all.first)
    #expect(leak.state == .leaked && leak.finding == .survivor(after: .seconds(1)))
    #expect(leak.typeName == "LeakMonitoringTests.Screen")
    #expect(leak.site.line == line)
    #expect(
      leak.message == "Screen: an instance of LeakMonitoringTests.Screen is alive, "
        + "expected to be gone within 1.0 seconds")
    screen.promote()?.onClose = nil
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
    #expect(
      leaks.all[1].message == "Screen: the instance of LeakMonitoringTests.Screen was "
        + "deallocated after the grace period")
  }

  @Test func `an actor that retains itself is a survivor`() async {
    let loader = Loader()
    await loader.keepItself()
    monitor.expectDeallocation(of: loader, within: .zero)
    await clock.tick(20)
    await monitor.settle()
    #expect(leaks.all.map(\.typeName) == ["LeakMonitoringTests.Loader"])
    await loader.breakCycles()
  }

  @Test func `an expectation that is cancelled, once or twice, reports nothing`() async {
    let screen = Screen()
    let expectation = monitor.expectDeallocation(of: screen)
    await clock.tick(19)
    expectation.cancel()
    expectation.cancel()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
    withExtendedLifetime(screen) {}
  }

  @Test func `an expectation cancelled after its report reports no late deallocation`() async {
    var screens = [Screen(), Screen()]
    let expectation = monitor.expectDeallocation(of: screens[0])
    monitor.expectDeallocation(of: screens[1])
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    expectation.cancel()
    screens = []
    await clock.tick()
    #expect(await leaks.first(3).map(\.state) == [.leaked, .leaked, .late])
    withExtendedLifetime(screens) {}
  }

  @Test func `an expectation that its reporter cancels reports no late deallocation`() async {
    let cancelled = MutexLock<DeallocationExpectation?>(nil)
    monitor.reporter = .closure { [leaks] leak in
      leaks.report(leak)
      cancelled.read { copy $0 }?.cancel()
    }
    var screen: Screen? = Screen()
    let expectation = monitor.expectDeallocation(of: screen!)
    cancelled.write { $0 = expectation }
    await clock.tick(20)
    await monitor.settle()
    // The cancelled check no longer waits, so only the next check polls.
    var loader: Loader? = Loader()
    monitor.expectDeallocation(of: loader!)
    screen = nil
    await clock.tick(21)
    await clock.rest()
    loader = nil
    await clock.tick()
    let leaks = await leaks.first(3)
    #expect(leaks.map(\.state) == [.leaked, .leaked, .late])
    #expect(leaks.map(\.description) == ["Screen", "Loader", "Loader"])
    // Breaks the cycle: the reporter retains the lock, and the lock the expectation.
    cancelled.write { $0 = nil }
    withExtendedLifetime((screen, loader)) {}
  }

  @Test func `settle does not wait for expectations that begin meanwhile`() async {
    let loader = Loader()
    monitor.reporter = .closure { [weak monitor] _ in
      monitor?.expectDeallocation(of: loader, within: .zero)
    }
    monitor.expectDeallocation(of: loader, within: .zero)
    let ticks = Task { [clock] in
      while !Task.isCancelled { await clock.tick() }
    }
    await monitor.settle()
    monitor.reporter = leaks
    // A report that is being made may still begin an expectation; the second call waits for it.
    await monitor.settle()
    await monitor.settle()
    ticks.cancel()
    await ticks.value
    withExtendedLifetime(loader) {}
  }

  @Test func `D 0.p: an expected deallocation finds a leak of fewer instances than max`() async {
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      let screen = Screen()
      MemoryLeakMonitor.validate(screen, max: 10)
      MemoryLeakMonitor.expectDeallocation(of: screen, within: .zero)
      await clock.tick(20)
      await monitor.settle()
      #expect(leaks.all.map(\.state) == [.leaked])
      withExtendedLifetime(screen) {}
    }
  }

  @Test func `a check that has reported does not retain its monitor`() async {
    let screen = Screen()
    #expect(await monitorThatReported(screen).promote() == nil)
    withExtendedLifetime(screen) {}
  }

  private func monitorThatReported(_ screen: Screen) async -> WeakReference<MemoryLeakMonitor> {
    let (monitor, leaks, clock) = makeClockedMonitor()
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.expectDeallocation(of: screen, within: .zero)
      await clock.tick(20)
      await monitor.settle()
    }
    #expect(leaks.all.count == 1)
    return WeakReference(monitor)
  }

  @Test func `survivors are reported as long-lived, or as allowed up to the allowed number`() async
  {
    let screens = (0..<4).map { _ in Screen() }
    monitor.markLongLived(screens[0])
    monitor.allowLeaks(of: Screen.self, upTo: 2)
    for screen in screens { monitor.expectDeallocation(of: screen, within: .zero) }
    await clock.tick(20, sleepers: 4)
    await monitor.settle()
    let states = leaks.all.map(\.state.rawValue).sorted()
    #expect(states == ["allowed", "allowed", "leaked", "longLived"])
    withExtendedLifetime(screens) {}
  }

  @Test func `the deallocation of an allowed survivor makes room for another`() {
    let exemptions = Exemptions(.mutex)
    let type = ObjectIdentifier(Screen.self)
    exemptions.allow(1, of: type)
    #expect(exemptions.allowSurvivor(of: type))
    #expect(!exemptions.allowSurvivor(of: type))
    exemptions.releaseSurvivor(of: type)
    #expect(exemptions.allowSurvivor(of: type))
  }

  /// Expects the deallocation of `screen`; returns the line of the call.
  private func expectDeallocation(of screen: WeakReference<Screen>) throws -> UInt {
    monitor.expectDeallocation(of: try #require(screen.promote()))
    return #line - 1
  }

  /// Returns a screen that its own closure retains.
  private func screenWithCycle() -> Screen {
    let screen = Screen()
    screen.onClose = { _ = screen }
    return screen
  }
}
