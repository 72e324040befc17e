import Choosing
import Primitives
import WeakCollections

/// Counts the live instances of each class and reports when there are more than the class allows.
///
/// A monitor holds objects weakly; any thread may use it, also from initializers. It stores one
/// entry for each instance. Entries of dead instances leave when there are more than `max`, or more
/// than twice the live ones and 64, and otherwise as instances of any class are validated: about as
/// many as there are entries. A class whose instances are all dead keeps an empty set until
/// `removeAll`.
public final class MemoryLeakMonitor: Sendable {
  /// The monitor behind the static functions outside `withIsolation`.
  public static let shared = MemoryLeakMonitor(recommendationForShared())

  /// The monitor of the innermost `withIsolation`.
  @TaskLocal static var isolated: MemoryLeakMonitor?

  private static let enabled = Atomic<Bool>(isEnabledByDefault)

  /// The backend that holds the counts, and why it was chosen.
  public let recommendation: Recommendation

  let ledger: Ledger
  let exemptions: Exemptions
  let suspicions = Suspicions()
  let checks: RunningChecks
  let observations: Observations
  private let reporterSlot: ReporterSlot
  private let policyLock: MutexLock<LeakPolicy>

  /// Creates a monitor with its own counts. Its backend is the build flag's if that never suspends,
  /// else the chooser's pick from `MemoryLeakMonitor.calibration`.
  public convenience init() {
    self.init(Self.recommendationBySetting())
  }

  /// Creates a monitor with its own counts. Its backend is the build flag's if that never suspends,
  /// else the chooser's pick from `calibration`. Without measurements of this machine in
  /// `calibration`, it is the documented default, marked uncalibrated.
  public convenience init(calibration: Calibration) {
    self.init(
      .forMonitor(calibration: calibration, named: "MemoryLeakMonitor(calibration:) was given"))
  }

  /// Creates a monitor with its own counts, which `backend` holds; traps for `.actor`.
  ///
  /// - Parameters:
  ///   - backend: The backend of the counts.
  ///   - clock: Measures grace periods. A manual clock makes them exact in tests.
  public convenience init(
    backend: Backend, clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      Recommendation(
        backend: backend, isCalibrated: false, reason: "MemoryLeakMonitor(backend:) was given it."),
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
    ledger = Ledger(recommendation.backend)
    policyLock = MutexLock(policy)
    let slot = ReporterSlot(reporter)
    reporterSlot = slot
    let observations = Observations(clock: clock, sampling: sampling, retainSettings)
    self.observations = observations
    checks = RunningChecks(
      clock: clock,
      startTask: { operation in
        // The task must not retain the monitor, whose `deinit` ends the told checks.
        Self.$isolated.withValue(nil) { Task { await operation() } }
      }
    ) {
      observations.tell($0, to: slot.reporter)
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

  /// Returns when each grace period that is running is over and its findings are reported. It does
  /// not wait for grace periods that begin meanwhile, nor for `.late` reports.
  public func settle() async {
    await checks.settle()
  }

  /// Forgets `object`, as if it had been neither validated nor marked as long-lived.
  ///
  /// - Complexity: O(1) amortized.
  public func remove(_ object: AnyObject) {
    exemptions.remove(object)
    observations.remove(object)
    ledger.remove(object)
  }

  /// Forgets all instances, classes and reports of excess; keeps expectations and allowances.
  /// Objects that are validated concurrently may be forgotten or not.
  ///
  /// - Complexity: O(*n*) in the classes.
  public func removeAll() {
    // First, so that no check mistakes forgotten objects for deallocated ones and reports that.
    suspicions.removeTold()
    ledger.removeAll()
    exemptions.removeObjects()
    observations.removeAll()
  }
}

// MARK: - Settings

extension MemoryLeakMonitor {
  /// Whether monitors watch; while they do not, they store nothing and report nothing new.
  ///
  /// On in debug builds and in tests that link `LeakTesting`, else off. Objects that are validated
  /// while it is off are not counted later.
  public static var isEnabled: Bool {
    // Relaxed, both: a switch alone. A thread that sees it late validates some objects more or
    // fewer.
    get { enabled.load(ordering: .relaxed) }
    set { enabled.store(newValue, ordering: .relaxed) }
  }

  private static var isEnabledByDefault: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// The backend that holds the counts.
  public var backend: Backend { recommendation.backend }

  /// The reporter that receives reports; `.standard` unless replaced. Takes effect for the next
  /// report.
  ///
  /// A reporter that uses its monitor must refer to it weakly: the monitor holds its reporter.
  public var reporter: any LeakReporter {
    get { reporterSlot.reporter }
    set { reporterSlot.reporter = newValue }
  }

  /// When `validate` reports; `.immediate` unless changed. Takes effect for the next `validate`.
  public var policy: LeakPolicy {
    get { policyLock.read { copy $0 } }
    set { policyLock.write { $0 = newValue } }
  }

  /// `policy` of the current monitor.
  public static var policy: LeakPolicy {
    get { current.policy }
    set { current.policy = newValue }
  }

  /// Whether reports say what holds the live instances; `.standard` unless changed. Takes effect
  /// for the next report. Setting a timeout that is not positive traps.
  public var retainPaths: RetainPaths {
    get { observations.retainSettings.paths }
    set { observations.retainSettings.paths = newValue }
  }

  /// `retainPaths` of the current monitor.
  public static var retainPaths: RetainPaths {
    get { current.retainPaths }
    set { current.retainPaths = newValue }
  }

  /// Adds a root: searches start from `object` too, if no running task and no cycle holds the
  /// leaked object. Use it for objects that live as long as the program, such as the environment of
  /// its screens. Tests with retain paths use the roots of the current monitor.
  ///
  /// The monitor holds the root weakly until it is deallocated. Paths call it `name`; another
  /// object of that name replaces it.
  public func addRoot(_ name: String, _ object: AnyObject) {
    observations.retainSettings.addRoot(name, object)
  }

  /// `addRoot` of the current monitor.
  public static func addRoot(_ name: String, _ object: AnyObject) {
    current.addRoot(name, object)
  }

  /// Returns a search for the holders of the first few objects; it finds nothing if `paths` are
  /// hidden.
  package func holderSearch(showing paths: RetainPaths) -> HolderSearch {
    observations.retainSettings.holderSearch(showing: paths)
  }
}

extension TestFailures {
  /// Installs `record`, and enables monitors: a test that links `LeakTesting` checks for leaks, in
  /// release builds too.
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
  /// Returns the number of live validated instances of exactly this class.
  ///
  /// - Complexity: O(*n*) in the class's entries.
  public func liveCount(of type: AnyClass) -> Int {
    ledger.liveCount(ObjectIdentifier(type))
  }

  /// The number of live instances of each class that were validated or have a `LifetimeToken`, by
  /// the class's name in reports.
  ///
  /// For a class with both, the larger number. Private classes of one name count together.
  ///
  /// - Complexity: O(*n*) in the entries of all classes.
  public var liveCounts: [String: Int] {
    Dictionary(
      liveCountsOfClasses.map { (TypeName.stable($0.type), $0.count) }, uniquingKeysWith: +)
  }

  /// The same, by class.
  var liveCountsOfClasses: [(type: AnyClass, count: Int)] {
    let tokens = observations.lifetimes.all.map { (type: $0.type, count: $0.count.liveCount) }
    let counts = (ledger.liveCounts() + tokens).map { (ObjectIdentifier($0.type), $0) }
    return Array(Dictionary(counts) { $0.count < $1.count ? $1 : $0 }.values)
  }
}

// MARK: - Events

extension MemoryLeakMonitor {
  /// Returns the events from now on. The sequence keeps the last `capacity` unconsumed events, and
  /// reports the number of dropped ones. Events cost nothing while no such sequence exists.
  ///
  /// - Parameter capacity: At least 1, else traps.
  public func events(buffering capacity: Int) -> LeakEvents {
    precondition(capacity > 0, "expected room for at least one event")
    return LeakEvents(subscription: EventSubscription(in: observations.events, capacity))
  }

  /// The events from now on, with room for 256.
  public var events: LeakEvents { events(buffering: 256) }

  /// `events` of the current monitor.
  public static var events: LeakEvents { current.events }
}

// MARK: - Isolation

extension MemoryLeakMonitor {
  /// The monitor behind the static functions: that of the innermost `withIsolation` around the
  /// running task, else `shared`.
  public static var current: MemoryLeakMonitor { isolated ?? shared }

  /// Runs `body` with a monitor of its own behind the static functions. It starts with no counts,
  /// and with the backend, the reporter and the settings of the outer one.
  ///
  /// Concurrent tests then do not count each other's instances. The monitor belongs to the task:
  /// child tasks and tasks created by `Task {}` inherit it. Detached tasks and threads do not; run
  /// them with `withIsolation(in: monitor)`, where `monitor` is the starter's `current`. Checks
  /// that are undecided when `body` returns are still decided and reported. In the tasks of checks,
  /// and in the reporters that they call, `current` is `shared`.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, _ body: () throws -> R
  ) rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    defer { if monitor == nil { inner.checks.close() } }
    return try $isolated.withValue(inner, operation: body)
  }

  /// `withIsolation` for a body that suspends. With a monitor of its own it returns when the grace
  /// periods that run at the end of `body` are over, so that their reports precede its return.
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
