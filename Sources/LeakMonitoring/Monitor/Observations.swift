import Primitives

/// The data of a monitor other than its counts of validated objects: the records of sampled
/// instances, the counts of lifetime tokens, the events, and the cost of all these.
final class Observations: Sendable {
  let clock: PollingClock
  let sampler: Sampler
  let retainSettings: RetainSettings
  let events = EventChannel()
  let lifetimes: LifetimeCounters
  /// The classes and groups with tokens that are under check.
  let suspicions = Suspicions()
  private let meter = CostMeter()
  private let validated = RecordBooks()

  init(clock: PollingClock, sampling: Sampling, _ retainSettings: RetainSettings) {
    self.clock = clock
    self.retainSettings = retainSettings
    sampler = Sampler(sampling)
    lifetimes = LifetimeCounters(events: events, clock: clock)
  }

  /// Calls `add`, which registers `object`, and records the object if the sample includes it.
  func validating<R>(_ object: AnyObject, at site: CallSite, _ add: () -> R) -> R {
    let number = meter.addValidation()
    let isSelected = sampler.selects(number)
    guard isSelected || CostEstimate.isTimed(number) else { return add() }
    let start = clock.now()
    let result = add()
    let isRecorded = isSelected && record(object, at: site, start)
    meter.validations.note(clock.now() - start, isRecorded: isRecorded)
    return result
  }

  /// Counts an instance that is being created, and records it if the sample includes it.
  func noteBirth(
    of type: AnyClass, _ configuration: () -> LifetimeConfiguration, at site: CallSite
  ) -> (LifetimeBirth, LifetimeCounter.Counts) {
    let start = meter.beginBirth() ? clock.now() : nil
    let counter = lifetimes.counter(of: type, configuration)
    let generation = lifetimes.generation
    let counts = counter.addBirth(generation: generation)
    let now = sampler.selects(counts.number) ? start ?? clock.now() : nil
    // Not `flatMap`, which would add a frame to the backtrace.
    let record = if let now { recordBirth(in: counter, at: site, now) } else { nil as Int? }
    // Times a recorded birth from the moment before its record is made, and any other from the
    // start of the call.
    if let start = record == nil ? start : now {
      meter.births.note(clock.now() - start, isRecorded: record != nil)
    }
    return (LifetimeBirth(counter: counter, generation: generation, record: record), counts)
  }

  private func recordBirth(
    in counter: LifetimeCounter, at site: CallSite, _ now: Duration
  ) -> Int? {
    guard counter.records.makeRoom(), sampler.admits(at: now) else { return nil }
    return counter.records.add(
      InstanceRecord(
        type: counter.type, birth: now, site: site, backtrace: backtrace(), object: nil))
  }

  /// Returns the records of the validated instances of a class.
  func book(of type: AnyClass) -> InstanceRecords { validated.book(of: type) }

  /// Returns the subject of a report about a class with tokens, or about its group.
  func subject(_ counter: LifetimeCounter, group: LifetimeGroup?) -> LeakSubject {
    guard let group else { return LeakSubject(book: counter.records) }
    return LeakSubject(book: group.records) { [lifetimes] in
      lifetimes.all.filter { $0.group === group }.map(\.records)
    }
  }

  var cost: MonitorCost {
    meter.cost(births: lifetimes.all.reduce(0) { $0 + $1.count.total })
  }

  /// Completes `report`, then sends it to the event sequences and to `reporter`.
  @discardableResult
  func report(_ report: LeakReport, to reporter: any LeakReporter) -> LeakReport {
    let report = completed(report)
    events.send { LeakEvent(report) }
    reporter.report(report)
    return report
  }

  func remove(_ object: AnyObject) { validated.remove(object) }

  func removeAll() {
    suspicions.removeReported()
    validated.removeAll()
    lifetimes.removeAll()
  }

  /// Records an object; returns false if there is no room for a record or the sample is full.
  private func record(_ object: AnyObject, at site: CallSite, _ now: Duration) -> Bool {
    let book = book(of: type(of: object))
    guard book.makeRoom(), sampler.admits(at: now) else { return false }
    _ = book.add(
      InstanceRecord(
        type: type(of: object), birth: now, site: site, backtrace: backtrace(),
        object: (ObjectIdentifier(object), LifeSign(object))))
    return true
  }

  private func backtrace() -> CreationBacktrace? {
    let backtrace = StackCapture.backtrace()
    if backtrace != nil { meter.noteBacktrace() }
    return backtrace
  }

  private func completed(_ report: LeakReport) -> LeakReport {
    var report = report
    let now = clock.now()
    if let subject = report.subject {
      // After a late deallocation, the reported count is outdated, and a report about one instance
      // has no survivor.
      let isGone = report.state == .late
      if subject.object == nil, !isGone { subject.book.note(report.liveCount, at: now) }
      report.history = subject.book.history
      var search = retainSettings.holderSearch(
        showing: report.state.isFailure ? retainSettings.paths : .hidden)
      report.survivors =
        isGone && subject.object != nil ? [] : subject.survivors(at: now, &search)
      report.noteRunningTask()
    }
    report.monitorCost = cost
    return report
  }
}

// MARK: - Cost

/// A meter of the cost of a monitor's validations and of the births of its tokens.
private final class CostMeter: Sendable {
  let validations = CostEstimate()
  let births = CostEstimate()

  // Relaxed, all: the numbers are independent of each other, order no other memory, and only select
  // samples or are displayed.
  private let validationCount = Atomic<Int>(0)
  private let birthsBegun = Atomic<Int>(0)
  private let backtraces = Atomic<Int>(0)

  /// Counts a validation; returns its number, from 1.
  func addValidation() -> Int {
    validationCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Counts the start of a token's birth; returns whether to time it.
  ///
  /// Uses a load and a store instead of one atomic addition: concurrent births may get the same
  /// number, which only changes the sample. The counters of the classes count births exactly.
  func beginBirth() -> Bool {
    let number = birthsBegun.load(ordering: .relaxed) &+ 1
    birthsBegun.store(number, ordering: .relaxed)
    return CostEstimate.isTimed(number)
  }

  func noteBacktrace() {
    backtraces.wrappingAdd(1, ordering: .relaxed)
  }

  /// Returns the cost so far.
  ///
  /// - Parameter births: The number of tokens created.
  func cost(births: Int) -> MonitorCost {
    let validations = validationCount.load(ordering: .relaxed)
    let nanoseconds =
      self.validations.nanoseconds(of: validations) + self.births.nanoseconds(of: births)
    return MonitorCost(
      validations: validations + births, backtraces: backtraces.load(ordering: .relaxed),
      total: .nanoseconds(Int64(nanoseconds)))
  }
}

/// An estimate of the total time of many operations from the times of some.
///
/// All recorded operations are timed. So are the first operation and every 64th one after it,
/// recorded or not.
struct CostEstimate: ~Copyable, Sendable {
  private static let interval = 64

  // Relaxed, everywhere: the numbers are only displayed, are independent of each other, and order
  // no other memory.
  private let recorded = Atomic<Int>(0)
  private let recordedNanoseconds = Atomic<Int>(0)
  private let timed = Atomic<Int>(0)
  private let timedNanoseconds = Atomic<Int>(0)

  /// Returns whether operation `number`, counted from 1, is timed even if it is not recorded.
  static func isTimed(_ number: Int) -> Bool { number % interval == 1 }

  /// Adds the duration of an operation that was recorded, or only timed.
  func note(_ duration: Duration, isRecorded: Bool) {
    let nanoseconds = Int(duration / .nanoseconds(1))
    if isRecorded {
      recorded.wrappingAdd(1, ordering: .relaxed)
      recordedNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    } else {
      timed.wrappingAdd(1, ordering: .relaxed)
      timedNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }
  }

  /// Returns the estimated nanoseconds of all `count` operations.
  ///
  /// If no unrecorded operation was timed, the estimate assumes that unrecorded operations cost as
  /// much as recorded ones.
  func nanoseconds(of count: Int) -> Double {
    let recorded = recorded.load(ordering: .relaxed)
    let recordedNanoseconds = Double(recordedNanoseconds.load(ordering: .relaxed))
    let timed = timed.load(ordering: .relaxed)
    let mean =
      timed > 0
      ? Double(timedNanoseconds.load(ordering: .relaxed)) / Double(timed)
      : recordedNanoseconds / Double(max(1, recorded))
    return recordedNanoseconds + mean * Double(max(0, count - recorded))
  }
}
