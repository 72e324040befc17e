import LeakMonitoring
import Metrics
import WeakCollections

/// Records gauges with swift-metrics: of each class, which is the dimension `type`, or of a group as a
/// whole, which is the dimension `group`.
///
/// | gauge | what it says |
/// |---|---|
/// | `leak_monitor_live_instances` | how many live, as last reported or sampled (see `MemoryLeakMonitor.liveCounts`) |
/// | `leak_monitor_leaked_instances` | how many of them are leaks: see `LeakTally` |
/// | `leak_monitor_resolved_leaks` | how many leaks died late, until now |
/// | `leak_monitor_check_nanoseconds` | how long `sample` took to look at all; without a dimension |
/// | `leak_monitor_validation_nanoseconds` | what a `validate` costs on average; without a dimension |
///
/// Reports alone say nothing of classes that do not leak: a server calls `sample` now and then. A gauge that
/// several threads set keeps the newest value.
public final class MetricsLeakReporter: LeakReporter {
  private typealias Subject = OrderedGauges.Subject

  private let gauges: OrderedGauges
  private let clock: @Sendable () -> Duration
  private let state = MutexLock(State())

  private struct State {
    var tally = LeakTally()
    /// Of each class what was reported of it, since its leaks may differ in kind.
    var fingerprints: [Subject: Set<LeakFingerprint>] = [:]
    var resolved: [Subject: Int] = [:]
    /// Orders what is set.
    private var lastMoment = 0

    mutating func nextMoment() -> Int {
      lastMoment += 1
      return lastMoment
    }
  }

  /// - Parameter factory: the bootstrapped one unless given.
  public convenience init(factory: any MetricsFactory = MetricsSystem.factory) {
    let start = ContinuousClock.now
    self.init(factory: factory, clock: { start.duration(to: .now) })
  }

  package init(factory: any MetricsFactory, clock: @escaping @Sendable () -> Duration) {
    gauges = OrderedGauges(factory)
    self.clock = clock
  }

  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    let subject =
      leak.group.map { Subject(dimension: "group", name: $0) }
      ?? Subject(dimension: "type", name: leak.typeName)
    let (leaked, resolved, moment) = state.write { state in
      state.tally.add(record)
      state.fingerprints[subject, default: []].insert(record.fingerprint)
      if leak.state == .late { state.resolved[subject, default: 0] += 1 }
      let leaked = state.fingerprints[subject, default: []].reduce(0) {
        $0 + state.tally.count(of: $1)
      }
      return (leaked, state.resolved[subject] ?? 0, state.nextMoment())
    }
    set("leaked_instances", of: subject, to: leaked, at: moment)
    set("resolved_leaks", of: subject, to: resolved, at: moment)
    if let cost = leak.monitorCost, cost.validations > 0 {
      set(
        "validation_nanoseconds", to: Int(cost.total / .nanoseconds(1)) / cost.validations,
        at: moment)
    }
    // A survivor, and what is gone, says nothing of the others of its class.
    if leak.finding.isOfOneInstance { return }
    if leak.state != .late {
      set("live_instances", of: subject, to: leak.liveCount, at: moment)
    }
  }

  /// Records how many instances of each class live, which a report does for its class alone: of those that
  /// were validated, and of those with a `LifetimeToken`.
  ///
  /// What is reported while it counts is newer and stays.
  ///
  /// - Complexity: O(*n*) in the validated instances and the classes; not for every request.
  public func sample(_ monitor: MemoryLeakMonitor = .current) {
    // Before the counting, so that what is reported meanwhile is later.
    let moment = state.write { $0.nextMoment() }
    let start = clock()
    let counts = monitor.liveCounts
    let duration = clock() - start
    for (type, count) in counts {
      set("live_instances", of: Subject(dimension: "type", name: type), to: count, at: moment)
    }
    set("check_nanoseconds", to: Int(duration / .nanoseconds(1)), at: moment)
  }

  private func set(_ label: String, of subject: Subject? = nil, to value: Int, at moment: Int) {
    gauges.set(.init(label: "leak_monitor_\(label)", subject: subject), to: value, at: moment)
  }
}

extension LeakReporter where Self == MetricsLeakReporter {
  /// Gauges for each class.
  public static var metrics: MetricsLeakReporter { MetricsLeakReporter() }
}
