import Choosing
import WeakCollections

/// A counter of the live instances of each class, which reports each excess over a class's maximum.
///
/// A class states the maximum number of its live instances, 1 by default, and validates each one:
///
/// ```swift
/// final class Editor: MemoryLeakMonitorable {
///   var max: Int { 2 }
///   init() { MemoryLeakMonitor.validate(self) }
/// }
/// ```
///
/// The monitor reports the third live editor. By default, a report fails the running test, or
/// outside tests an assertion. The static functions use the monitor of the innermost
/// `withIsolation`, or else `shared`.
///
/// A monitor holds objects weakly; any thread may use it, also from initializers. It stores one
/// entry for each instance. It removes the entries of a class's dead instances when the class has
/// more entries than `max`, or more than twice its live instances plus 64. It removes all other
/// dead entries as instances of any class are validated, within about as many validations as there
/// are entries. A class whose instances are all dead keeps an empty set until `removeAll`.
public final class MemoryLeakMonitor: Sendable {
  /// The monitor that the static functions use outside `withIsolation`.
  public static let shared = MemoryLeakMonitor(recommendationForShared())

  /// The monitor of the innermost `withIsolation`.
  @TaskLocal static var isolated: MemoryLeakMonitor?

  /// The backend that holds the counts, and the reason for its choice.
  public let recommendation: Recommendation

  let registry: InstanceRegistry
  let exemptions: Exemptions
  let suspicions = Suspicions()
  let checks: RunningChecks
  let observations: Observations
  private let reporterSlot: ReporterSlot
  private let policyLock: MutexLock<LeakPolicy>

  /// Creates a monitor with its own counts.
  ///
  /// Its backend is the one that the build flag names, if that one never suspends, and otherwise
  /// the chooser's recommendation from `MemoryLeakMonitor.calibration`.
  public convenience init() {
    self.init(Self.recommendationBySetting())
  }

  /// Creates a monitor with its own counts.
  ///
  /// Its backend is the one that the build flag names, if that one never suspends, and otherwise
  /// the chooser's recommendation from `calibration`. If `calibration` has no measurements of this
  /// machine, the chooser recommends the documented default, and marks it as uncalibrated.
  ///
  /// - Parameter calibration: The measurements from which the chooser recommends a backend.
  public convenience init(calibration: Calibration) {
    self.init(
      .forMonitor(calibration: calibration, named: "MemoryLeakMonitor(calibration:) was given"))
  }

  /// Creates a monitor with its own counts in a backend.
  ///
  /// - Parameters:
  ///   - backend: The backend of the counts.
  ///   - clock: Measures grace periods. A manual clock makes them exact in tests.
  /// - Precondition: `backend` is not `.actor`, because an initializer that validates its object
  ///   cannot wait for an actor.
  public convenience init(
    backend: Backend, clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      Recommendation(
        backend: backend, isCalibrated: false, reason: "MemoryLeakMonitor(backend:) selects it."),
      clock: PollingClock(clock))
  }

  private convenience init(
    _ recommendation: Recommendation, clock: PollingClock = PollingClock(ContinuousClock())
  ) {
    self.init(
      recommendation, clock: clock, exemptions: Exemptions(recommendation.backend),
      reporter: .standard, policy: .immediate, sampling: .standard,
      retainSettings: RetainSettings(.standard))
  }

  private init(
    _ recommendation: Recommendation, clock: PollingClock, exemptions: Exemptions,
    reporter: any LeakReporter, policy: LeakPolicy, sampling: Sampling,
    retainSettings: RetainSettings
  ) {
    self.recommendation = recommendation
    self.exemptions = exemptions
    registry = InstanceRegistry(recommendation.backend)
    policyLock = MutexLock(policy)
    let slot = ReporterSlot(reporter)
    reporterSlot = slot
    let observations = Observations(clock: clock, sampling: sampling, retainSettings)
    self.observations = observations
    checks = RunningChecks(
      clock: clock,
      startTask: { operation in
        // The task must not retain the monitor, whose `deinit` ends the reported checks.
        Self.$isolated.withValue(nil) { Task { await operation() } }
      }
    ) {
      observations.report($0, to: slot.reporter)
    }
  }

  deinit {
    checks.close()
    observations.events.finish()
  }

  /// Returns a monitor with the settings of this one and no counts.
  private func emptyCopy() -> MemoryLeakMonitor {
    MemoryLeakMonitor(
      recommendation, clock: checks.clock.restarted(),
      exemptions: exemptions.withoutObjects(recommendation.backend), reporter: reporter,
      policy: policy, sampling: sampling, retainSettings: observations.retainSettings.copy)
  }

  /// Suspends until all running grace periods are over and their findings are reported.
  ///
  /// It waits neither for grace periods that begin meanwhile nor for `.late` reports.
  public func settle() async {
    await checks.settle()
  }

  /// Unregisters `object`, as if it had been neither validated nor marked as long-lived.
  ///
  /// Does nothing if the monitor does not know the object.
  ///
  /// - Complexity: O(1) amortized.
  public func remove(_ object: AnyObject) {
    exemptions.remove(object)
    observations.remove(object)
    registry.remove(object)
  }

  /// Unregisters all instances and classes, and forgets the reports of excess.
  ///
  /// Keeps expectations and allowances. Objects that are validated concurrently may stay
  /// registered.
  ///
  /// - Complexity: O(*n*) in the number of classes.
  public func removeAll() {
    // Before the objects are unregistered, so that no check mistakes them for deallocated ones and
    // reports them as late.
    suspicions.removeReported()
    registry.removeAll()
    exemptions.removeObjects()
    observations.removeAll()
  }
}

// MARK: - Settings

extension MemoryLeakMonitor {
  /// The backend that holds the counts.
  public var backend: Backend { recommendation.backend }

  /// The reporter that receives reports; the default is `.standard`.
  ///
  /// A change takes effect for the next report, and turns monitors on, unless the program has set
  /// `isEnabled` itself. Objects that were validated while monitors were off are not counted. A
  /// reporter that uses its monitor must hold it weakly, because the monitor holds its reporter.
  public var reporter: any LeakReporter {
    get { reporterSlot.reporter }
    set {
      reporterSlot.reporter = newValue
      Self.startForReports()
    }
  }

  /// When `validate` reports an excess: immediately, which is the default, or after a grace period.
  ///
  /// A change takes effect for the next `validate`.
  public var policy: LeakPolicy {
    get { policyLock.read { copy $0 } }
    set { policyLock.write { $0 = newValue } }
  }

  /// The `policy` of the current monitor.
  public static var policy: LeakPolicy {
    get { current.policy }
    set { current.policy = newValue }
  }

  /// Whether reports include the holders of the live instances; the default is `.standard`.
  ///
  /// A change takes effect for the next report.
  ///
  /// - Precondition: The timeout of a new value is positive.
  public var retainPaths: RetainPaths {
    get { observations.retainSettings.paths }
    set { observations.retainSettings.paths = newValue }
  }

  /// The `retainPaths` of the current monitor.
  public static var retainPaths: RetainPaths {
    get { current.retainPaths }
    set { current.retainPaths = newValue }
  }

  /// Adds a root: an additional object from which searches for retain paths start.
  ///
  /// A search uses the roots if no running task and no cycle holds the leaked object. Add objects
  /// that live as long as the program, such as the environment of its screens. Tests with retain
  /// paths use the roots of the current monitor. The monitor holds a root weakly.
  ///
  /// - Parameters:
  ///   - name: The name of the root in paths. A second root of that name replaces the first one.
  ///   - object: The root.
  public func addRoot(_ name: String, _ object: AnyObject) {
    observations.retainSettings.addRoot(name, object)
  }

  /// Adds a root to the current monitor.
  ///
  /// - Parameters:
  ///   - name: The name of the root in paths. A second root of that name replaces the first one.
  ///   - object: The root.
  public static func addRoot(_ name: String, _ object: AnyObject) {
    current.addRoot(name, object)
  }

  /// Returns a search for the holders of up to five objects; it finds no holder if `paths` are
  /// hidden.
  package func holderSearch(showing paths: RetainPaths) -> HolderSearch {
    observations.retainSettings.holderSearch(showing: paths)
  }
}

extension TestFailures {
  /// Installs a recorder, and turns monitors on, so that a test that links `LeakTesting` checks for
  /// leaks in release builds too.
  package static func install(_ record: @escaping @Sendable (LeakReport) -> Void) {
    recorder.write { $0 = record }
    MemoryLeakMonitor.isEnabled = true
  }
}

/// A reporter that any thread may replace.
private final class ReporterSlot {
  private let lock: MutexLock<any LeakReporter>

  init(_ reporter: some LeakReporter) {
    lock = MutexLock(reporter)
  }

  var reporter: any LeakReporter {
    get { lock.read { copy $0 } }
    set {
      // The closure returns the old reporter, so that it is released outside the lock.
      _ = lock.write { reporter in
        let old = reporter
        reporter = newValue
        return old
      }
    }
  }
}

// @unchecked: only `lock` accesses the reporter, which is Sendable.
extension ReporterSlot: @unchecked Sendable {}

// MARK: - Counts

extension MemoryLeakMonitor {
  /// Returns the number of live validated instances of exactly this class, without its subclasses.
  ///
  /// - Complexity: O(*n*) in the number of the class's entries.
  public func liveCount(of type: AnyClass) -> Int {
    registry.liveCount(ObjectIdentifier(type))
  }

  /// The number of live instances of each class with validated objects or tokens, by the class's
  /// name in reports.
  ///
  /// For a class with both, the number is the larger of the two. Private classes with the same name
  /// are counted together.
  ///
  /// - Complexity: O(*n*) in the number of entries of all classes.
  public var liveCounts: [String: Int] {
    Dictionary(
      liveCountsOfClasses.map { (TypeName.stable($0.type), $0.count) }, uniquingKeysWith: +)
  }

  /// The number of live instances of each class.
  var liveCountsOfClasses: [(type: AnyClass, count: Int)] {
    let tokens = observations.lifetimes.all.map { (type: $0.type, count: $0.count.liveCount) }
    let counts = (registry.liveCounts() + tokens).map { (ObjectIdentifier($0.type), $0) }
    return Array(Dictionary(counts) { $0.count < $1.count ? $1 : $0 }.values)
  }
}

// MARK: - Events

extension MemoryLeakMonitor {
  /// Returns a sequence of the events from now on.
  ///
  /// The sequence keeps the newest unconsumed events, and reports how many older ones it dropped.
  /// While no sequence exists, the monitor creates no events. Turns monitors on, as setting the
  /// `reporter` does.
  ///
  /// - Parameter capacity: The maximum number of unconsumed events.
  /// - Precondition: `capacity` is positive.
  public func events(buffering capacity: Int) -> LeakEvents {
    guard capacity > 0 else {
      fatalError("the capacity of an event sequence must be positive, got \(capacity)")
    }
    Self.startForReports()
    return LeakEvents(subscription: EventSubscription(in: observations.events, capacity))
  }

  /// A new sequence of the events from now on, which keeps up to 256 unconsumed events.
  public var events: LeakEvents { events(buffering: 256) }

  /// A new sequence of the current monitor's events, which keeps up to 256 unconsumed events.
  public static var events: LeakEvents { current.events }
}

// MARK: - Isolation

extension MemoryLeakMonitor {
  /// The monitor that the static functions use: that of the innermost `withIsolation` around the
  /// running task, else `shared`.
  public static var current: MemoryLeakMonitor { isolated ?? shared }

  /// Runs `body` with another current monitor, so that concurrent tests do not count each other's
  /// instances.
  ///
  /// A new monitor starts without counts, and has the backend, the reporter and the settings of the
  /// outer one. The monitor belongs to the task: child tasks and tasks created by `Task {}` inherit
  /// it. Detached tasks and threads do not inherit it. Their code calls `withIsolation(in:
  /// monitor)`, where `monitor` is the `current` monitor of the code that starts them.
  ///
  /// A check whose grace period is not over when `body` returns continues, and reports its finding.
  /// In the tasks of checks, and in the reporters that they call, `current` is `shared`.
  ///
  /// - Parameters:
  ///   - monitor: The monitor; nil for a new one.
  ///   - body: Runs with the monitor.
  /// - Returns: The result of `body`.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, _ body: () throws -> R
  ) rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    defer { if monitor == nil { inner.checks.close() } }
    return try $isolated.withValue(inner, operation: body)
  }

  /// Runs an asynchronous body with another current monitor, so that concurrent tests do not count
  /// each other's instances.
  ///
  /// If the monitor is new, this function waits after `body` until the running grace periods are
  /// over, so that it returns after their reports.
  ///
  /// - Parameters:
  ///   - monitor: The monitor; nil for a new one.
  ///   - isolation: The isolation of the caller, in which `body` runs.
  ///   - body: Runs with the monitor.
  /// - Returns: The result of `body`.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    do {
      let result = try await $isolated.withValue(inner, operation: body, isolation: isolation)
      if monitor == nil { await inner.end() }
      return result
    } catch {
      if monitor == nil { await inner.end() }
      throw error
    }
  }

  private func end() async {
    await settle()
    checks.close()
  }
}
