import Testing
import WeakCollections

@testable import LeakMonitoring

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
