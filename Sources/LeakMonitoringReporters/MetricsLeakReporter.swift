import LeakMonitoring
import Metrics
import WeakCollections

/// A reporter that records gauges with swift-metrics.
///
/// The gauges of a class have the dimension `type`, and those of a group the dimension `group`:
///
/// | gauge | meaning |
/// |---|---|
/// | `leak_monitor_live_instances` | the live count in the last report or sample |
/// | `leak_monitor_leaked_instances` | the number of leaked instances: see `LeakTally` |
/// | `leak_monitor_resolved_leaks` | the number of late deallocations so far |
/// | `leak_monitor_check_nanoseconds` | the duration of `sample`; without a dimension |
/// | `leak_monitor_validation_nanoseconds` | the average cost of `validate`; without a dimension |
///
/// Reports do not cover classes that do not leak. For the counts of all classes
/// (`MemoryLeakMonitor.liveCounts`), a server calls `sample` periodically. A gauge that several
/// threads set keeps the newest value.
///
/// The number of dimension values is limited, because a metrics system stores a time series for
/// each. The first types and groups that appear get gauges of their own; all others share the value
/// `(others)`, with the sum of their counts. A report does not change the live count of that value;
/// `sample` does.
public final class MetricsLeakReporter: LeakReporter {
  private typealias Subject = OrderedGauges.Subject

  private let gauges: OrderedGauges
  private let mostValues: Int
  private let clock: @Sendable () -> Duration
  private let state = MutexLock(State())

  private struct State {
    var tally = LeakTally()
    /// The fingerprints of each class or group, which may leak in several ways.
    var fingerprints: [Subject: Set<LeakFingerprint>] = [:]
    var resolved: [Subject: Int] = [:]
    /// The values of each dimension that have gauges of their own.
    var shown: [String: Set<String>] = [:]
    /// Orders the values of gauges.
    private var lastMoment = 0

    mutating func nextMoment() -> Int {
      lastMoment += 1
      return lastMoment
    }

    /// Returns the class or group itself if it has gauges of its own, or gets them now; otherwise
    /// the one that all others share.
    mutating func shownSubject(for subject: Subject, atMost limit: Int) -> Subject {
      let names = shown[subject.dimension, default: []]
      if names.contains(subject.name) { return subject }
      guard names.count < limit else {
        return Subject(dimension: subject.dimension, name: MetricsLeakReporter.others)
      }
      shown[subject.dimension, default: []].insert(subject.name)
      return subject
    }
  }

  private static let others = "(others)"

  /// Creates a reporter.
  ///
  /// - Parameters:
  ///   - factory: Makes the gauges; the factory that the program bootstrapped by default.
  ///   - mostValues: The maximum number of types with gauges of their own, and of groups. Traps
  ///     if it is negative.
  public convenience init(
    factory: any MetricsFactory = MetricsSystem.factory, mostValues: Int = 200
  ) {
    let start = ContinuousClock.now
    self.init(factory: factory, mostValues: mostValues, clock: { start.duration(to: .now) })
  }

  package init(
    factory: any MetricsFactory, mostValues: Int = 200, clock: @escaping @Sendable () -> Duration
  ) {
    guard mostValues >= 0 else {
      fatalError("the number of values must not be negative, got \(mostValues)")
    }
    gauges = OrderedGauges(factory)
    self.mostValues = mostValues
    self.clock = clock
  }

  /// Updates the gauges of the class or group of a report.
  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    let reported =
      leak.group.map { Subject(dimension: "group", name: $0) }
      ?? Subject(dimension: "type", name: leak.typeName)
    let (subject, leaked, resolved, moment) = state.write { state in
      let subject = state.shownSubject(for: reported, atMost: mostValues)
      state.tally.add(record)
      state.fingerprints[subject, default: []].insert(record.fingerprint)
      if leak.state == .late { state.resolved[subject, default: 0] += 1 }
      let leaked = state.fingerprints[subject, default: []].reduce(0) {
        $0 + state.tally.count(of: $1)
      }
      return (subject, leaked, state.resolved[subject] ?? 0, state.nextMoment())
    }
    set("leaked_instances", of: subject, to: leaked, at: moment)
    set("resolved_leaks", of: subject, to: resolved, at: moment)
    if let cost = leak.monitorCost, cost.validations > 0 {
      set(
        "validation_nanoseconds", to: Int(cost.total / .nanoseconds(1)) / cost.validations,
        at: moment)
    }
    // A report about one instance has no count of its class, and the count of a late report is
    // outdated.
    if leak.finding.isOfOneInstance { return }
    if leak.state != .late, subject == reported {
      set("live_instances", of: subject, to: leak.liveCount, at: moment)
    }
  }

  /// Records the live count of every class with validated instances or with a `LifetimeToken`.
  ///
  /// A report that arrives during the count is newer, and its value stays.
  ///
  /// - Parameter monitor: The monitor whose instances to count.
  /// - Complexity: O(*n*) in the number of validated instances and of classes: do not call it for
  ///   every request.
  public func sample(_ monitor: MemoryLeakMonitor = .current) {
    // Before the count, so that concurrent reports are newer.
    let moment = state.write { $0.nextMoment() }
    let start = clock()
    let counts = monitor.liveCounts
    let duration = clock() - start
    let shown = state.write { state in
      // In a fixed order, so that a restarted program shows the same types.
      counts.sorted { $0.key < $1.key }.map { type, count in
        let subject = Subject(dimension: "type", name: type)
        return (state.shownSubject(for: subject, atMost: mostValues), count)
      }
    }
    for (subject, count) in Dictionary(shown, uniquingKeysWith: +) {
      set("live_instances", of: subject, to: count, at: moment)
    }
    set("check_nanoseconds", to: Int(duration / .nanoseconds(1)), at: moment)
  }

  private func set(_ label: String, of subject: Subject? = nil, to value: Int, at moment: Int) {
    gauges.set(.init(label: "leak_monitor_\(label)", subject: subject), to: value, at: moment)
  }
}

extension LeakReporter where Self == MetricsLeakReporter {
  /// A new reporter that records gauges with the factory that the program bootstrapped.
  public static var metrics: MetricsLeakReporter { MetricsLeakReporter() }
}

// MARK: - Order of values

/// Gauges that keep the newest value when several threads set them.
///
/// Metrics handlers are user code, so threads record values outside the lock. Values stay in order
/// because only one thread at a time records values in a gauge. It also records the newest value
/// that other threads propose meanwhile; older ones are dropped.
final class OrderedGauges: Sendable {
  struct Name: Hashable {
    let label: String
    /// The dimension and its value; nil for a gauge without a dimension.
    let subject: Subject?
  }

  struct Subject: Hashable {
    let dimension: String
    let name: String
  }

  private struct Setting {
    var gauge: Gauge?
    /// The moment of the newest value.
    var moment = Int.min
    /// The value to record next.
    var next: Int?
    var isBeingSet = false

    /// Proposes a value; returns whether the caller must record it, because no other thread is
    /// recording.
    mutating func propose(_ value: Int, _ moment: Int) -> Bool {
      guard moment >= self.moment else { return false }
      self.moment = moment
      next = value
      defer { isBeingSet = true }
      return !isBeingSet
    }

    mutating func takeNext() -> Int? {
      isBeingSet = next != nil
      return next.take()
    }
  }

  private let factory: any MetricsFactory
  private let settings = MutexLock<[Name: Setting]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
  }

  /// Sets a gauge unless it has a newer value.
  func set(_ name: Name, to value: Int, at moment: Int) {
    let isOurs = settings.write { $0[name, default: Setting()].propose(value, moment) }
    guard isOurs else { return }
    let gauge = gauge(name)
    while let value = settings.write({ $0[name]?.takeNext() }) { gauge.record(value) }
  }

  /// Returns a gauge, and creates it at the first call.
  ///
  /// Only one thread at a time sets a gauge, so it is created only once. It is created outside the
  /// lock, because the factory is user code.
  private func gauge(_ name: Name) -> Gauge {
    if let gauge = settings.read({ $0[name]?.gauge }) { return gauge }
    let made = Gauge(
      label: name.label, dimensions: name.subject.map { [($0.dimension, $0.name)] } ?? [],
      factory: factory)
    settings.write { $0[name]?.gauge = made }
    return made
  }
}
