import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen {}

struct SamplingTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `in debug builds and in tests all are recorded`() {
    #expect(Sampling.standard == .all)
    #expect(monitor.sampling == .all)
  }

  @Test func `one in three is recorded`() {
    monitor.sampling = Sampling(oneIn: 3)
    #expect(survivors(of: 10) == 4)
    #expect(monitor.cost.validations == 11)
  }

  @Test func `without a sample all are counted and none is recorded`() {
    monitor.sampling = .none
    #expect(survivors(of: 10) == 0)
    #expect(leaks.all.first?.liveCount == 11)
    #expect(monitor.cost.backtraces == 0)
    #expect(monitor.cost.validations == 11)
  }

  @Test func `no more are recorded in a second than its cap, and as many in the next`() async {
    monitor.sampling = Sampling(oneIn: 1, cap: 4)
    #expect(survivors(of: 10) == 4)
    clock.advance(by: .seconds(1))
    #expect(survivors(of: 10) == 4)
  }

  @Test func `a cap of none records nothing`() {
    monitor.sampling = Sampling(oneIn: 1, cap: 0)
    #expect(survivors(of: 3) == 0)
  }

  @Test func `a setting is what it was set to`() {
    for sampling in [
      Sampling.all, .none, Sampling(oneIn: 7, cap: nil), Sampling(oneIn: 1 << 31, cap: 1 << 31),
    ] {
      monitor.sampling = sampling
      #expect(monitor.sampling == sampling)
    }
  }

  @Test func `a monitor of one's own has the setting of the one outside`() {
    monitor.sampling = Sampling(oneIn: 5)
    MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.withIsolation { #expect(MemoryLeakMonitor.sampling.interval == 5) }
    }
  }

  @Test func `sixty-four are listed, and others once those are gone`() {
    var screens = (0..<100).map { _ in Screen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    screens.removeFirst(50)
    // Of 64 refusals in a row the last looks for the dead.
    let more = (0..<64).map { _ in Screen() }
    for screen in more { monitor.validate(screen, max: .max) }
    #expect(survivors(of: 0) > 14)
    withExtendedLifetime((screens, more)) {}
  }

  @Test func `an object that is validated twice is listed once`() {
    let screen = Screen()
    monitor.validate(screen, max: 1)
    monitor.validate(screen, max: 0)
    #expect(leaks.all.map(\.survivors.count) == [1])
  }

  @Test func `what is forgotten is not listed`() {
    let screens = [Screen(), Screen()]
    for screen in screens { monitor.validate(screen, max: 2) }
    monitor.remove(screens[0])
    #expect(survivors(of: 0) == 2)
    withExtendedLifetime(screens) {}
  }

  @Test func `the dead are not listed`() {
    let screen = Screen()
    monitor.validate(screen, max: 1)
    for _ in 0..<10 { monitor.validate(Screen(), max: 5) }
    monitor.validate(screen, max: 0)
    #expect(leaks.all.last?.survivors.count == 1)
  }

  /// Validates so many, and one that is too many; returns how many survivors the report lists.
  private func survivors(of count: Int) -> Int {
    let screens = (0..<count).map { _ in Screen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    let last = Screen()
    monitor.validate(last, max: 0)
    return withExtendedLifetime((screens, last)) { leaks.all.last?.survivors.count ?? -1 }
  }
}

private final class RecordedScreen {}

struct InstanceRecordsTests {
  private let records = InstanceRecords()

  @Test func `samples are in the order of their times, whoever notes them first`() {
    for second in [1, 3, 2, 5, 4] { records.note(second, at: .seconds(second)) }
    #expect(records.history.map(\.liveCount) == [1, 2, 3, 4, 5])
  }

  @Test func `as many as before are noted once`() {
    for second in 1...5 { records.note(7, at: .seconds(second)) }
    #expect(records.history.map(\.time) == [.seconds(1)])
  }

  @Test func `of many samples the first and the last stay`() {
    for second in 1...100 { records.note(second, at: .seconds(second)) }
    #expect(records.history.map(\.liveCount) == [1] + (86...100))
  }

  @Test func `without room no backtrace is captured`() {
    let (monitor, _, _) = makeClockedMonitor()
    let screens = (0..<200).map { _ in RecordedScreen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    #expect(monitor.cost.backtraces == InstanceRecords.capacity)
    withExtendedLifetime(screens) {}
  }
}

struct CostEstimateTests: ~Copyable {
  private let estimate = CostEstimate()

  @Test func `the first of many is timed, and one in 64 after it`() {
    #expect((1...200).filter(CostEstimate.isTimed) == [1, 65, 129, 193])
  }

  @Test func `those that were not timed are taken for as dear as those that were`() {
    estimate.note(.nanoseconds(100), isRecorded: false)
    estimate.note(.nanoseconds(300), isRecorded: false)
    #expect(estimate.nanoseconds(of: 10) == 2000)
  }

  @Test func `what is recorded counts for itself`() {
    estimate.note(.nanoseconds(5000), isRecorded: true)
    estimate.note(.nanoseconds(100), isRecorded: false)
    #expect(estimate.nanoseconds(of: 11) == 6000)
  }

  @Test func `if all that were timed are recorded the others are taken for as dear`() {
    estimate.note(.nanoseconds(5000), isRecorded: true)
    #expect(estimate.nanoseconds(of: 3) == 15000)
  }

  @Test func `of nothing it is nothing`() { #expect(estimate.nanoseconds(of: 0) == 0) }
}

struct MonitorCostTests {
  private final class Screen {}
  private final class Player { let lifetime = LifetimeToken(of: Player.self, max: nil) }

  @Test func `a few acts of which none is recorded have a time`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.sampling = .none
    let screen = Screen()
    monitor.validate(screen, max: 1)
    let afterOne = monitor.cost.total
    #expect(afterOne > .zero)
    MemoryLeakMonitor.withIsolation(in: monitor) { _ = Player() }
    #expect(monitor.cost.total > afterOne)
    #expect(monitor.cost.validations == 2)
  }
}
