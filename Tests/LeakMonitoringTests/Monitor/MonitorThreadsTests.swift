import LeakMonitoring
import SeededTesting
import Testing
import Threading
import WeakCollections

private final class Connection: MemoryLeakMonitorable, Sendable {
  let max: Int
  private let counted: Counted

  init(
    _ monitor: MemoryLeakMonitor, max: Int, grace: Duration? = nil, in lifetimes: LifetimeCounter
  ) {
    self.max = max
    counted = Counted(in: lifetimes)
    monitor.validate(self, grace: grace)
  }
}

private final class Kept: Sendable {
  private let connections = MutexLock<[Connection]>([])

  func add(_ connection: Connection) {
    connections.write { $0.append(connection) }
  }

  func removeAll() {
    // Returns the connections, so that they are released outside the lock.
    _ = connections.write { connections in
      defer { connections = [] }
      return connections
    }
  }
}

/// Backtraces are off, because the first backtrace of each thread reads the symbols of all tests.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MonitorThreadsTests {
  private static let threads = 8

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d, 0.m: concurrent instances beyond max each report a different live count`(
    _ backend: Backend
  ) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    monitor.sampling = .none
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let lifetimes = LifetimeCounter()
    let kept = Kept()
    let each = TestOptions.operations(full: 5000) / 100
    let allowed = 2 * each
    _ = await onOwnThreads(Self.threads) { _ in
      for _ in 0..<each { kept.add(Connection(monitor, max: allowed, in: lifetimes)) }
    }
    #expect(leaks.all.map(\.liveCount).sorted() == Array(allowed + 1...Self.threads * each))
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `the live count is exact after concurrent validations`(_ backend: Backend) async {
    let monitor = MemoryLeakMonitor(backend: backend)
    monitor.sampling = .none
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let lifetimes = LifetimeCounter()
    let kept = Kept()
    let (each, keptEach) = (TestOptions.operations(full: 2000), 20)
    _ = await onOwnThreads(Self.threads) { _ in
      for round in 0..<each {
        // `max` is never exceeded, so nothing may be reported; sweeps are frequent.
        let connection = Connection(monitor, max: Self.threads * (keptEach + 8), in: lifetimes)
        if round * keptEach % each < keptEach { kept.add(connection) }
      }
    }
    #expect(leaks.all.isEmpty)
    #expect(monitor.liveCount(of: Connection.self) == Self.threads * keptEach)
    kept.removeAll()
    #expect(monitor.liveCount(of: Connection.self) == 0)
    #expect(lifetimes.births == Self.threads * each)
    #expect(lifetimes.deaths == Self.threads * each)
  }

  @Test func `threads that replace instances cause no report, one more instance does`() async {
    let (monitor, leaks, clock) = makeClockedMonitor()
    monitor.sampling = .none
    let lifetimes = LifetimeCounter()
    let kept = Kept()
    @Sendable func connect() -> Connection {
      Connection(monitor, max: Self.threads, grace: .zero, in: lifetimes)
    }
    _ = await onOwnThreads(Self.threads) { _ in
      var connection = connect()
      for _ in 0..<200 {
        let next = withExtendedLifetime(connection) { connect() }
        connection = next
      }
      kept.add(connection)
    }
    // The last thread had two connections for a moment, when all others had one: that began a
    // check, which finds nothing.
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

/// An instance of one of many classes; each class has its own `tally`.
// @unchecked: immutable, but a class with subclasses cannot be checked.
private class Watched: @unchecked Sendable {
  private let tally: LifetimeCounter.Tally

  required init(_ tally: LifetimeCounter.Tally) {
    self.tally = tally
    tally.noteBirth()
  }

  deinit { tally.noteDeath() }
}

// @unchecked: restated from `Watched`.
private final class Kind<Low, High>: Watched, @unchecked Sendable {}

/// Fifty classes: five by ten arguments of one generic class.
private let kinds: [Watched.Type] = {
  func five<High>(_ high: High.Type) -> [Watched.Type] {
    [
      Kind<Int8, High>.self, Kind<Int16, High>.self, Kind<Int32, High>.self, Kind<Int64, High>.self,
      Kind<Int, High>.self,
    ]
  }
  return five(UInt8.self) + five(UInt16.self) + five(UInt32.self) + five(UInt64.self)
    + five(UInt.self) + five(Bool.self) + five(Float.self) + five(Double.self) + five(String.self)
    + five(Character.self)
}()

/// Eight threads that validate instances of fifty classes, keep some and release the others. They
/// run for `WEAK_COLLECTIONS_STRESS_SECONDS`, which is for long runs under a sanitizer, or else for
/// a number of rounds.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct MonitorStressTests {
  private static let threads = 8
  private static let most = 20

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `live counts are exact after threads validated instances of fifty classes`(
    _ backend: Backend
  ) async {
    #expect(Set(kinds.map { ObjectIdentifier($0) }).count == 50)
    let backends = Backend.allCases.count(where: \.isSynchronous)
    let plan = Plan(share: backends)
    let monitor = MemoryLeakMonitor(backend: backend)
    // The first backtrace of each thread reads the symbols of all tests.
    if backend != .lockFree { monitor.sampling = .none }
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let lifetimes = LifetimeCounter(workers: kinds.count)
    let results = await onOwnThreads(Self.threads) { thread in
      work(thread, plan, monitor, lifetimes)
    }
    #if os(Linux) && !WeakBoxes
      // Each thread has at most `most` instances of a class, and one that is being replaced. With
      // weak boxes there may be more, because a thread that polls an object retains it for a
      // moment.
      #expect(leaks.all.isEmpty, "\(leaks.all.first?.message ?? "")")
    #endif
    for (kind, tally) in zip(kinds, lifetimes.tallies) {
      let live = tally.live
      #expect(monitor.liveCount(of: kind) == live)
      #expect(live == results.reduce(0) { $0 + $1.kept.count { type(of: $0) == kind } })
    }
    let validations = results.reduce(0) { $0 + $1.validations }
    #expect(lifetimes.births == validations)
    print("\(backend.rawValue): \(validations) validations, \(lifetimes.live) alive, counts exact")
    withExtendedLifetime(results) {}
  }

  @Test func `concurrent excess instances are each reported with a count that existed`() async {
    let monitor = MemoryLeakMonitor(backend: .lockFree)
    monitor.sampling = .none
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    let lifetimes = LifetimeCounter()
    let each = TestOptions.operations(full: 5000) / 100
    let max = 2 * each
    let kept = await onOwnThreads(Self.threads) { thread in
      (0..<each).flatMap { number in
        kinds.prefix(5).map { kind in
          let object = kind.init(lifetimes.tallies[0])
          monitor.validate(object, max: max)
          return object
        }
      }
    }
    // None is deallocated, so each instance beyond `max` has a different live count.
    #expect(leaks.all.count == 5 * (Self.threads * each - max))
    for (_, reports) in Dictionary(grouping: leaks.all, by: \.typeName) {
      #expect(reports.map(\.liveCount).sorted() == Array(max + 1...Self.threads * each))
    }
    withExtendedLifetime(kept) {}
  }

  private struct Result: Sendable {
    var kept: [Watched] = []
    var validations = 0
  }

  /// How long a thread works: its share of the requested seconds, or else a number of validations.
  private struct Plan: Sendable {
    let deadline: ContinuousClock.Instant?
    let validations = TestOptions.operations(full: 5000)

    init(share: Int) {
      deadline = TestOptions.stressSeconds.map {
        .now + .milliseconds($0 * 1000 / share)
      }
    }

    func isOver(after done: Int) -> Bool {
      guard let deadline else { return done >= validations }
      return done % 64 == 0 && ContinuousClock.now >= deadline
    }
  }

  private func work(
    _ thread: Int, _ plan: Plan, _ monitor: MemoryLeakMonitor, _ lifetimes: LifetimeCounter
  ) -> Result {
    var random = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
    var result = Result()
    var living: [[Watched]] = kinds.map { _ in [] }
    while !plan.isOver(after: result.validations) {
      let number = Int.random(in: 0..<kinds.count, using: &random)
      if living[number].count == Self.most {
        living[number].remove(at: Int.random(in: 0..<Self.most, using: &random))
      }
      let object = kinds[number].init(lifetimes.tallies[number])
      // Half of the classes sometimes reach their `max`, the others never.
      monitor.validate(object, max: number.isMultiple(of: 2) ? Self.threads * Self.most : 10_000)
      living[number].append(object)
      result.validations += 1
    }
    result.kept = living.flatMap(\.self)
    return result
  }
}
