import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen: MemoryLeakMonitorable {
  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

struct StandardLeakReporterTests {
  @Test func `a leak in a test is an issue at the place of the validation`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    withKnownIssue {
      withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
    } matching: { issue in
      issue.sourceLocation?.line == 8
        && issue.comments.first?.rawValue
          == "Screen: 2 instances of LeakMonitoringTests.Screen are alive, expected at most 1"
    }
  }

  @Test func `a restored standard reporter records again`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let leaks = CollectedLeaks()
    let screen = Screen(monitor)
    monitor.reporter = leaks
    withExtendedLifetime(screen) { _ = Screen(monitor) }
    monitor.reporter = .standard
    withKnownIssue {
      withExtendedLifetime(screen) { _ = Screen(monitor) }
    }
    #expect(leaks.all.count == 1)
  }

  #if DEBUG
    @Test func `a leak outside tests fails an assertion`() async {
      await #expect(processExitsWith: .failure) {
        let monitor = MemoryLeakMonitor(backend: .mutex)
        monitor.reporter = StandardLeakReporter(recordsTestFailures: false)
        withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
      }
    }
  #endif
}
