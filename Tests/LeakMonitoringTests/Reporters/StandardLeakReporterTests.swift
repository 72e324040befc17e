import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen: MemoryLeakMonitorable {
  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

struct StandardLeakReporterTests {
  @Test func `a leak in a test is an issue at the line of the validation`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    withKnownIssue {
      withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
    } matching: { issue in
      issue.sourceLocation?.line == 8
        && issue.comments.first?.rawValue
          == "Screen: 2 instances of LeakMonitoringTests.Screen are alive, expected at most 1; "
          + "if one is about to be deallocated, as in a reassignment, "
          + "use validate(self, grace: .seconds(1)) or MemoryLeakMonitor.policy = .graced()"
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

  @Test func `a leak in a task outside of tests fails the run`() async {
    await withKnownIssue {
      await #expect(processExitsWith: .success) {
        let monitor = MemoryLeakMonitor(backend: .mutex)
        await Task.detached {
          withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
        }.value
      }
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("Screen: 2 instances") == true
    }
  }

  @Test func `a leak in tests without LeakTesting is printed`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let monitor = MemoryLeakMonitor(backend: .mutex)
      monitor.reporter = StandardLeakReporter(record: nil, isTesting: true)
      withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.contains("LeakMonitoringTests/StandardLeakReporterTests.swift:8: Screen: 2 "))
    #expect(printed.contains("add the product LeakTesting to the test target"))
  }

  @Test func `this process is recognized as a test run`() {
    #expect(TestFailures.isTesting)
    #expect(TestFailures.installed != nil)
  }

  #if DEBUG
    @Test func `a leak outside tests fails an assertion`() async {
      await #expect(processExitsWith: .failure) {
        let monitor = MemoryLeakMonitor(backend: .mutex)
        monitor.reporter = StandardLeakReporter(record: nil, isTesting: false)
        withExtendedLifetime((Screen(monitor), Screen(monitor))) {}
      }
    }
  #endif
}
