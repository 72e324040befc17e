import Testing

@testable import LeakMonitoring

private final class Screen {}

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
    let screens = (0..<200).map { _ in Screen() }
    for screen in screens { monitor.validate(screen, max: .max) }
    #expect(monitor.cost.backtraces == InstanceRecords.capacity)
    withExtendedLifetime(screens) {}
  }
}
