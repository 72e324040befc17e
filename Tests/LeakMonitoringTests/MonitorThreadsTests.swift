import LeakMonitoring
import SeededTesting
import Testing
import Threading
import WeakCollections

private final class Connection: MemoryLeakMonitorable, Sendable {
  let max: Int
  private let counted: Counted

  init(_ monitor: MemoryLeakMonitor, max: Int, grace: Duration? = nil, in census: Census) {
    self.max = max
    counted = Counted(in: census)
    monitor.validate(self, grace: grace)
  }
}

private final class Kept: Sendable {
  private let connections = MutexLock<[Connection]>([])

  func add(_ connection: Connection) {
    connections.write { $0.append(connection) }
  }

  func removeAll() {
    // The result, so that they are released outside the lock.
    _ = connections.write { connections in
      defer { connections = [] }
      return connections
    }
  }
}

/// Without backtraces: the first of each thread reads the symbols of all the tests.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MonitorThreadsTests {
  private static let threads = 8

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d, 0.m: of threads that add at once, each beyond max reports a number of its own`(
    _ backend: Backend
  ) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    monitor.sampling = .none
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let census = Census()
    let kept = Kept()
    let each = TestOptions.operations(standard: 5000) / 100
    let allowed = 2 * each
    _ = await onOwnThreads(Self.threads) { _ in
      for _ in 0..<each { kept.add(Connection(monitor, max: allowed, in: census)) }
    }
    #expect(leaks.all.map(\.liveCount).sorted() == Array(allowed + 1...Self.threads * each))
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `the count is exact when the threads have ended`(_ backend: Backend) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    monitor.sampling = .none
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let census = Census()
    let kept = Kept()
    let (each, keptEach) = (TestOptions.operations(standard: 2000), 20)
    _ = await onOwnThreads(Self.threads) { _ in
      for round in 0..<each {
        // At most this many live at once, so that nothing may be reported, and sweeps are frequent.
        let connection = Connection(monitor, max: Self.threads * (keptEach + 8), in: census)
        if round * keptEach % each < keptEach { kept.add(connection) }
      }
    }
    #expect(leaks.all.isEmpty)
    #expect(monitor.liveCount(of: Connection.self) == Self.threads * keptEach)
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
    #expect(census.births == Self.threads * each)
    #expect(census.deaths == Self.threads * each)
  }

  @Test func `threads that reassign leave no suspicion, and one connection more is found`() async {
    let (monitor, leaks, clock) = makeClockedMonitor()
    monitor.sampling = .none
    let census = Census()
    let kept = Kept()
    @Sendable func connect() -> Connection {
      Connection(monitor, max: Self.threads, grace: .zero, in: census)
    }
    _ = await onOwnThreads(Self.threads) { _ in
      var connection = connect()
      for _ in 0..<200 {
        let next = withExtendedLifetime(connection) { connect() }
        connection = next
      }
      kept.add(connection)
    }
    // The last to end had two for a moment, and all others one: there is a check, which finds nothing.
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
    kept.add(connect())
    await clock.tick(20)
    await monitor.settle()
    #expect(leaks.all.map(\.liveCount) == [Self.threads + 1])
    kept.removeAll()
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
  }
}
