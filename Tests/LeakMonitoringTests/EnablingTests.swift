import LeakMonitoring
import Testing
import WeakCollections

private final class Session: MemoryLeakMonitorable {
  var max: Int {
    #expect(MemoryLeakMonitor.isEnabled)
    return 1
  }

  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

/// In processes of their own, as the switch is for all tests.
struct EnablingTests {
  @Test func `tests have the monitor on, optimized or not`() {
    #expect(MemoryLeakMonitor.isEnabled)
  }

  @Test func `a monitor that is off asks nothing, stores nothing and reports nothing`() async {
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

  @Test func `a monitor that is on again counts from then on`() async {
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
