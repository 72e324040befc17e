import LeakMonitoring
import Synchronization
import Testing
import WeakCollections

private final class Tallies: Sendable {
  let created = Atomic<Int>(0)
  let deinitialized = Atomic<Int>(0)
}

private final class Connection: MemoryLeakMonitorable, Sendable {
  let max: Int
  let tallies: Tallies

  init(_ monitor: MemoryLeakMonitor, max: Int, _ tallies: Tallies) {
    self.max = max
    self.tallies = tallies
    // Relaxed, both: read after the threads have ended.
    tallies.created.wrappingAdd(1, ordering: .relaxed)
    monitor.validate(self)
  }

  deinit {
    tallies.deinitialized.wrappingAdd(1, ordering: .relaxed)
  }
}

private final class Kept: Sendable {
  private let connections = Mutex<[Connection]>([])

  func add(_ connection: Connection) {
    connections.withLock { $0.append(connection) }
  }

  func removeAll() {
    // The result, so that they are released outside the lock.
    _ = connections.withLock { connections in
      defer { connections = [] }
      return connections
    }
  }
}

@Suite(.serialized)
struct MonitorThreadsTests {
  private static let threads = 8

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d, 0.m: of threads that add at once, each beyond max reports a number of its own`(
    _ backend: Backend
  ) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let tallies = Tallies()
    let kept = Kept()
    let (allowed, each) = (100, 50)
    await OwnedThreads.run(Self.threads) { _ in
      for _ in 0..<each { kept.add(Connection(monitor, max: allowed, tallies)) }
    }
    #expect(leaks.all.map(\.liveCount).sorted() == Array(allowed + 1...Self.threads * each))
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `the count is exact when the threads have ended`(_ backend: Backend) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let tallies = Tallies()
    let kept = Kept()
    let (each, keptEach) = (2000, 20)
    await OwnedThreads.run(Self.threads) { _ in
      for round in 0..<each {
        // At most this many live at once, so that nothing may be reported, and sweeps are frequent.
        let connection = Connection(monitor, max: Self.threads * (keptEach + 8), tallies)
        if round % (each / keptEach) == 0 { kept.add(connection) }
      }
    }
    #expect(leaks.all.isEmpty)
    #expect(monitor.liveCount(of: Connection.self) == Self.threads * keptEach)
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
    #expect(tallies.created.load(ordering: .relaxed) == Self.threads * each)
    #expect(tallies.deinitialized.load(ordering: .relaxed) == Self.threads * each)
  }
}
