import CoreMetrics
import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakMonitoringReporters

/// A factory that stores the last value of each gauge.
private final class KeptGauges: MetricsFactory {
  final class Recorder: RecorderHandler {
    let record: @Sendable (Double) -> Void

    init(_ record: @escaping @Sendable (Double) -> Void) { self.record = record }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { record(value) }
  }

  let values = MutexLock<[String: Double]>([:])
  /// Called once, when the next value is recorded, in place of a concurrent thread.
  let between = MutexLock<(@Sendable () -> Void)?>(nil)
  let made = MutexLock(0)

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    made.write { $0 += 1 }
    let name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
    return Recorder { [weak self] value in
      self?.between.write { $0.take() }?()
      self?.values.write { $0[name] = value }
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

struct MetricsLeakReporterTests {
  private let gauges = KeptGauges()

  private func value(_ name: String, _ type: String = "App.Session") -> Double? {
    gauges.values.read { $0["leak_monitor_\(name) type=\(type)"] }
  }

  @Test func `gauges count leaks and late deallocations`() {
    let reporter = MetricsLeakReporter(factory: gauges)
    reporter.report(exampleReport(.leaked, live: 2))
    reporter.report(exampleReport(.leaked, live: 4))
    #expect(value("live_instances") == 4 && value("leaked_instances") == 3)
    #expect(value("resolved_leaks") == 0)
    reporter.report(exampleReport(.late, live: 4))
    #expect(value("leaked_instances") == 1 && value("resolved_leaks") == 1)
    reporter.report(exampleReport(.leaked, live: 1, finding: .survivor(after: .seconds(1))))
    #expect(value("leaked_instances") == 2, "one too many, and one survivor")
    #expect(value("live_instances") == 4, "a survivor does not say how many live")
    #expect(gauges.made.read { copy $0 } == 3, "each gauge is made once")
  }

  @Test func `a sample records live counts and how long counting took`() {
    final class Session {}
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let sessions = [Session(), Session()]
    for session in sessions { monitor.validate(session, max: 5) }
    let times = MutexLock([Duration.milliseconds(1), .milliseconds(3)])
    let reporter = MetricsLeakReporter(
      factory: gauges, clock: { times.write { $0.removeFirst() } })
    reporter.sample(monitor)
    let type = "LeakMonitoringReportersTests.MetricsLeakReporterTests.Session"
    #expect(value("live_instances", type) == 2)
    let duration = gauges.values.read { $0["leak_monitor_check_nanoseconds"] }
    #expect(duration == 2_000_000)
    withExtendedLifetime(sessions) {}
  }

  @Test func `types beyond the limit share one gauge, which has the sum of their counts`() {
    final class First {}
    final class Second {}
    final class Third {}
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let objects: [AnyObject] = [First(), Second(), Second(), Third(), Third(), Third()]
    for object in objects { monitor.validate(object, max: 5) }
    let reporter = MetricsLeakReporter(factory: gauges, mostValues: 1)
    reporter.sample(monitor)
    let prefix = "LeakMonitoringReportersTests.MetricsLeakReporterTests."
    #expect(value("live_instances", prefix + "First") == 1)
    #expect(value("live_instances", "(others)") == 5)
    #expect(value("live_instances", prefix + "Second") == nil)
    for name in ["First", "Second", "Third"] {
      var report = exampleReport(.leaked, live: 2)
      report.typeName = prefix + name
      reporter.report(report)
    }
    #expect(value("leaked_instances", prefix + "First") == 1)
    #expect(value("leaked_instances", "(others)") == 2)
    #expect(value("live_instances", "(others)") == 5, "a report counts one type only")
    // A group has a dimension of its own.
    var report = exampleReport(.leaked, live: 2)
    report.group = "screens"
    reporter.report(report)
    #expect(gauges.values.read { $0["leak_monitor_leaked_instances group=screens"] } == 1)
    withExtendedLifetime(objects) {}
  }

  @Test func `recording a report does not overwrite a report that arrives meanwhile`() {
    let reporter = MetricsLeakReporter(factory: gauges)
    gauges.between.write { $0 = { reporter.report(exampleReport(.leaked, live: 4)) } }
    reporter.report(exampleReport(.leaked, live: 2))
    #expect(value("live_instances") == 4 && value("leaked_instances") == 3)
    reporter.report(exampleReport(.leaked, live: 6))
    #expect(value("live_instances") == 6 && value("leaked_instances") == 5)
  }

  @Test func `a sample does not overwrite a report that arrives while it counts`() {
    final class Session {}
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let session = Session()
    monitor.validate(session, max: 5)
    let type = "LeakMonitoringReportersTests.MetricsLeakReporterTests.Session"
    let reporter = MutexLock<MetricsLeakReporter?>(nil)
    let calls = MutexLock(0)
    // The second reading of the clock comes after the counting.
    let made = MetricsLeakReporter(
      factory: gauges,
      clock: {
        if calls.write({
          $0 += 1; return $0
        }) == 2 {
          var report = exampleReport(.leaked, live: 9)
          report.typeName = type
          reporter.read { $0 }?.report(report)
        }
        return .zero
      })
    reporter.write { $0 = made }
    made.sample(monitor)
    #expect(value("live_instances", type) == 9)
    made.sample(monitor)
    #expect(value("live_instances", type) == 1)
    reporter.write { $0 = nil }
    withExtendedLifetime(session) {}
  }
}
