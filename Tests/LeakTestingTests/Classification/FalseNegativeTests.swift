import LeakMonitoring
import Testing
import Threading
import WeakCollections

// @unchecked: not final, for a subclass; its number never changes.
private class Session: MemoryLeakMonitorable, @unchecked Sendable {
  let number: Int

  init(_ number: Int, _ monitor: MemoryLeakMonitor) {
    self.number = number
    monitor.validate(self)
  }
}

/// Says something else of each instance.
private final class DescribedSession: Session, @unchecked Sendable {
  var description: String { "session \(number)" }
}

// What is a leak, and must be told. The rest of the list is where the code is that might miss it:
//
// | false negative | test |
// |---|---|
// | an overridden description | `0.7, D 0.b: instances that describe themselves differently are of one class`, MemoryLeakMonitorTests |
// | properties of superclasses | `4.7 properties of superclasses count`, LeakCheckTestCaseTests |
// | collections of objects | `4.4 containers, tuples, structs and enums are looked into`, LeakCheckTestCaseTests |
// | weak boxes of optionals | `0.k an optional class traps`, RefusedTypesTests |
@Suite(.timeLimit(.minutes(10))) struct FalseNegativeTests {
  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d false negative: of two threads that use a class first none loses its instance`(
    _ backend: Backend
  ) async {
    for round in 0..<10 {
      // A new one each time, so that both threads find nothing there.
      let monitor = MemoryLeakMonitor(backend: backend)
      // The first backtrace of a thread reads the symbols of all the tests.
      monitor.sampling = .none
      let liveCounts = MutexLock([Int]())
      monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
      let sessions = await onOwnThreads(2) { Session($0, monitor) }
      #expect(monitor.liveCount(of: Session.self) == 2, "in round \(round)")
      #expect(liveCounts.read { copy $0 } == [2])
      withExtendedLifetime(sessions) {}
    }
  }

  @Test func `0.7 false negative: a description of its own in a subclass hides no instance`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let liveCounts = MutexLock([Int]())
    monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
    let sessions = (1...3).map { DescribedSession($0, monitor) }
    #expect(liveCounts.read { copy $0 } == [2, 3])
    #expect(sessions.map(\.description) == ["session 1", "session 2", "session 3"])
  }
}
