import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen {}

struct SamplingTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `in debug builds and in tests every instance is recorded`() {
    #expect(Sampling.standard == .all)
    #expect(monitor.sampling == .all)
  }

  @Test func `an interval of three records one in three instances`() {
    monitor.sampling = Sampling(oneIn: 3)
    #expect(survivors(of: 10) == 4)
    #expect(monitor.cost.validations == 11)
  }

  @Test func `without sampling every instance is counted and none is recorded`() {
    monitor.sampling = .none
    #expect(survivors(of: 10) == 0)
    #expect(leaks.all.first?.liveCount == 11)
    #expect(monitor.cost.backtraces == 0)
    #expect(monitor.cost.validations == 11)
  }

  @Test func `a second records at most its cap, and the next second as many again`() async {
    monitor.sampling = Sampling(oneIn: 1, cap: 4)
    #expect(survivors(of: 10) == 4)
    clock.advance(by: .seconds(1))
    #expect(survivors(of: 10) == 4)
  }

  @Test func `a cap of zero records nothing`() {
    monitor.sampling = Sampling(oneIn: 1, cap: 0)
    #expect(survivors(of: 3) == 0)
  }

  @Test func `a sampling can be read as it was set`() {
    for sampling in [
      Sampling.all, .none, Sampling(oneIn: 7, cap: nil), Sampling(oneIn: 1 << 31, cap: 1 << 31),
    ] {
      monitor.sampling = sampling
      #expect(monitor.sampling == sampling)
    }
  }

  @Test func `an isolated monitor starts with the sampling of the outer one`() {
    monitor.sampling = Sampling(oneIn: 5)
    MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.withIsolation { #expect(MemoryLeakMonitor.sampling.interval == 5) }
    }
  }

  @Test func `at most 64 instances are listed, and new ones after listed ones are deallocated`() {
    var screens = (0..<100).map { _ in Screen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    screens.removeFirst(50)
    // The last of 64 consecutive refusals removes the dead instances.
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

  @Test func `an instance that was removed is not listed`() {
    let screens = [Screen(), Screen()]
    for screen in screens { monitor.validate(screen, max: 2) }
    monitor.remove(screens[0])
    #expect(survivors(of: 0) == 2)
    withExtendedLifetime(screens) {}
  }

  @Test func `dead instances are not listed`() {
    let screen = Screen()
    monitor.validate(screen, max: 1)
    for _ in 0..<10 { monitor.validate(Screen(), max: 5) }
    monitor.validate(screen, max: 0)
    #expect(leaks.all.last?.survivors.count == 1)
  }

  /// Validates `count` instances, and one beyond `max`; returns the number of listed survivors.
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

  @Test func `samples are in the order of their times, whatever the order of the calls`() {
    for second in [1, 3, 2, 5, 4] { records.note(second, at: .seconds(second)) }
    #expect(records.history.map(\.liveCount) == [1, 2, 3, 4, 5])
  }

  @Test func `a count that did not change is recorded once`() {
    for second in 1...5 { records.note(7, at: .seconds(second)) }
    #expect(records.history.map(\.time) == [.seconds(1)])
  }

  @Test func `the first and the latest of many samples are kept`() {
    for second in 1...100 { records.note(second, at: .seconds(second)) }
    #expect(records.history.map(\.liveCount) == [1] + (86...100))
  }

  @Test func `no backtrace is captured without room for its record`() {
    let (monitor, _, _) = makeClockedMonitor()
    let screens = (0..<200).map { _ in RecordedScreen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    #expect(monitor.cost.backtraces == InstanceRecords.capacity)
    withExtendedLifetime(screens) {}
  }
}

struct CostEstimateTests: ~Copyable {
  private let estimate = CostEstimate()

  @Test func `the first act and every 64th after it are timed`() {
    #expect((1...200).filter(CostEstimate.isTimed) == [1, 65, 129, 193])
  }

  @Test func `acts that were not timed are estimated at the average of the timed ones`() {
    estimate.note(.nanoseconds(100), isRecorded: false)
    estimate.note(.nanoseconds(300), isRecorded: false)
    #expect(estimate.nanoseconds(of: 10) == 2000)
  }

  @Test func `recorded acts are measured separately`() {
    estimate.note(.nanoseconds(5000), isRecorded: true)
    estimate.note(.nanoseconds(100), isRecorded: false)
    #expect(estimate.nanoseconds(of: 11) == 6000)
  }

  @Test func `if every timed act was recorded, the others are estimated at its cost`() {
    estimate.note(.nanoseconds(5000), isRecorded: true)
    #expect(estimate.nanoseconds(of: 3) == 15000)
  }

  @Test func `the cost of no act is zero`() { #expect(estimate.nanoseconds(of: 0) == 0) }
}

struct MonitorCostTests {
  private final class Screen {}
  private final class Player { let lifetime = LifetimeToken(of: Player.self, max: nil) }

  @Test func `a few acts have a cost even if none is recorded`() {
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
