import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen {
  var isClosing: Bool
  var asked = 0

  init(isClosing: Bool) { self.isClosing = isClosing }
}

@Suite(.timeLimit(.minutes(10)))
struct ClosingTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `2.3 a screen that closes is expected to be deallocated within two seconds`()
    async throws
  {
    let screen = Screen(isClosing: true)
    let line: UInt = #line + 1
    let expectation = monitor.checkDeallocation(of: screen) { $0.isClosing }
    #expect(expectation != nil)
    await clock.tick(20)
    await monitor.settle()
    let leak = try #require(leaks.all.first)
    #expect(leak.finding == .survivor(after: .seconds(2)) && leak.site.line == line)
    #expect(leak.typeName == "LeakMonitoringTests.Screen")
    withExtendedLifetime(screen) {}
  }

  @Test func `2.3 a covered screen is asked once, and not expected to be deallocated`() async {
    let screen = Screen(isClosing: false)
    let expectation = monitor.checkDeallocation(of: screen, after: .zero) { screen in
      screen.asked += 1
      return screen.isClosing
    }
    #expect(expectation == nil && screen.asked == 1)
    // The clock never advances, so `settle()` returns only if nothing is expected.
    await monitor.settle()
  }

  @Test func `2.3 the check does not retain its object`() async {
    var screen: Screen? = Screen(isClosing: true)
    let reference = WeakReference(screen!)
    MemoryLeakMonitor.withIsolation(in: monitor) {
      _ = MemoryLeakMonitor.checkDeallocation(of: screen!) { $0.isClosing }
    }
    screen = nil
    #expect(reference.promote() == nil)
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
  }

  @Test func `2.3 an error of the predicate is rethrown, and nothing is expected`() async {
    struct Refusal: Error {}
    let screen = Screen(isClosing: true)
    #expect(throws: Refusal.self) {
      try monitor.checkDeallocation(of: screen) { _ in throw Refusal() }
    }
    await monitor.settle()
  }
}
