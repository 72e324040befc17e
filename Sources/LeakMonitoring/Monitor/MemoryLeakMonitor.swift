import Choosing
import Primitives
import WeakCollections

/// Counts the living instances of each class and reports when there are more than the class allows.
///
/// Its objects are held weakly; threads may use it at once, also from initialisers. It keeps one entry for
/// each instance. Those of dead ones leave when there are more than `max`, or twice the living and 64, and
/// otherwise as instances of whatever class are validated: about as many as there are entries. Of a class
/// whose instances are all dead an empty set stays, until `removeAll`.
public final class MemoryLeakMonitor: Sendable {
  /// The monitor behind the static functions outside `withIsolation`.
  public static let shared = MemoryLeakMonitor(recommendationForShared())

  /// The monitor of the innermost `withIsolation`.
  @TaskLocal static var isolated: MemoryLeakMonitor?

  /// The backend that holds the counts, and why it was chosen.
  public let recommendation: Recommendation

  let ledger: Ledger
  let exemptions: Exemptions
  let suspicions = Suspicions()
  let checks: RunningChecks
  let observations: Observations
  private let reporterSlot: ReporterSlot
  private let policyLock: MutexLock<LeakPolicy>

  /// A monitor with its own counts. Its backend is the build flag's if that never suspends, else the
  /// chooser's pick from `MemoryLeakMonitor.calibration`.
  public convenience init() {
    self.init(Self.recommendationBySetting())
  }

  /// A monitor with its own counts. Its backend is the build flag's if that never suspends, else the
  /// chooser's pick from `calibration`; without measurements of this place there, the documented default,
  /// marked uncalibrated.
  public convenience init(calibration: Calibration) {
    self.init(
      .forMonitor(calibration: calibration, named: "MemoryLeakMonitor(calibration:) was given"))
  }

  /// A monitor with its own counts, which are held by `backend`; traps for `.actor`.
  ///
  /// `clock` measures grace periods. One that tests move by hand makes them exact.
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
    checks = RunningChecks(clock: clock) { observations.tell($0, to: slot.reporter) }
  }

  deinit {
    checks.close()
    observations.events.finish()
  }

  /// One that has the settings of this, and no counts.
  func emptyCopy() -> MemoryLeakMonitor {
    MemoryLeakMonitor(
      recommendation, clock: checks.clock.restarted(),
      exemptions: exemptions.withoutObjects(recommendation.backend), reporter: reporter,
      policy: policy, sampling: sampling, retainSettings: observations.retainSettings.copy)
  }

  /// The backend that holds the counts.
  public var backend: Backend { recommendation.backend }

  /// Whom the monitor tells; `.standard` unless replaced. Takes effect for the next report.
  ///
  /// A reporter that uses its monitor refers to it weakly: the monitor keeps its reporter.
  public var reporter: any LeakReporter {
    get { reporterSlot.reporter }
    set { reporterSlot.reporter = newValue }
  }

  /// When `validate` reports; `.immediate` unless changed. Takes effect for the next `validate`.
  public var policy: LeakPolicy {
    get { policyLock.read { copy $0 } }
    set { policyLock.write { $0 = newValue } }
  }

  /// The current monitor's.
  public static var policy: LeakPolicy {
    get { current.policy }
    set { current.policy = newValue }
  }

  /// Returns once each grace period that is running is over and what was found has been reported. Those that
  /// begin meanwhile are not waited for, nor are `.late` reports.
  public func settle() async {
    await checks.settle()
  }

  /// How many validated instances of exactly this class live.
  ///
  /// - Complexity: O(*n*) in the class's entries.
  public func liveCount(of type: AnyClass) -> Int {
    ledger.liveCount(ObjectIdentifier(type))
  }

  /// Forgets `object`, as if it had been neither validated nor marked as long-lived.
  ///
  /// - Complexity: O(1) amortised.
  public func remove(_ object: AnyObject) {
    exemptions.remove(object)
    observations.remove(object)
    ledger.remove(object)
  }

  /// Forgets all instances and classes, and that too many of them were reported; what is validated meanwhile
  /// may be forgotten or not. Expectations and allowances stay.
  ///
  /// - Complexity: O(*n*) in the classes.
  public func removeAll() {
    // First, so that no check finds its objects gone, which are only forgotten, and tells that.
    suspicions.removeTold()
    ledger.removeAll()
    exemptions.removeObjects()
    observations.removeAll()
  }
}

extension MemoryLeakMonitor {
  private static let enabled = Atomic<Bool>(isEnabledByDefault)

  /// Whether monitors watch at all; while they do not, they store nothing and report nothing new.
  ///
  /// On in debug builds and in tests that link `LeakTesting`, else off. What was validated while it was off
  /// is not counted later.
  public static var isEnabled: Bool {
    // Relaxed, both: a switch alone. A thread that sees it late validates some objects more or fewer.
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
}

extension MemoryLeakMonitor {
  /// The monitor behind the static functions here: that of the innermost `withIsolation` around the
  /// running task, else `shared`.
  public static var current: MemoryLeakMonitor { isolated ?? shared }

  /// Runs `body` with a monitor of its own behind the static functions, which begins with no counts and
  /// with the backend, the reporter and the settings of the one outside.
  ///
  /// Tests that run at once so do not count each other's instances. The monitor goes with the task: child
  /// tasks and tasks made by `Task {}` have it too; detached tasks and threads have not, and get it by
  /// `withIsolation(in: monitor)` from whoever started them: `monitor` is what `current` was there. What is undecided
  /// at the end is still decided and reported. The tasks of checks have `shared` as `current`, and so has a
  /// reporter that they call.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, _ body: () throws -> R
  ) rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    defer { if monitor == nil { inner.checks.close() } }
    return try $isolated.withValue(inner, operation: body)
  }

  /// `withIsolation` of a body that suspends. With a monitor of its own it returns when the grace periods
  /// that run at the end of `body` are over, so that their reports come before its own end.
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

extension MemoryLeakMonitor {
  /// How many instances of each class live that were validated or have a `LifetimeToken`, by the class's name as
  /// reports have it; of a class that has both, as many as the one or the other says. Private classes of one
  /// name are taken together.
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

/// A reporter that any thread may replace.
final class ReporterSlot {
  private let lock: MutexLock<any LeakReporter>

  init(_ reporter: some LeakReporter) {
    lock = MutexLock(reporter)
  }

  var reporter: any LeakReporter {
    get { lock.read { copy $0 } }
    set {
      // The old reporter is the closure's result, so that it is released outside the lock.
      _ = lock.write { reporter in
        let old = reporter
        reporter = newValue
        return old
      }
    }
  }
}

// @unchecked: `lock` alone reaches the reporter, which may be shared.
extension ReporterSlot: @unchecked Sendable {}
