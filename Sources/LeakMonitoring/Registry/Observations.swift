import Primitives
import WeakCollections

/// What a monitor knows beyond counts: who lives since when, from where, and what that cost.
final class Observations: Sendable {
  let clock: PollingClock
  let sampler: Sampler
  let retainSettings: RetainSettings
  let events = EventChannel()
  let lifetimes: LifetimeCounters
  /// Of what has tokens, by class or group.
  let suspicions = Suspicions()
  private let meter = CostMeter()
  private let validated = RecordBooks()

  init(clock: PollingClock, sampling: Sampling, _ retainSettings: RetainSettings) {
    self.clock = clock
    self.retainSettings = retainSettings
    sampler = Sampler(sampling)
    lifetimes = LifetimeCounters(events: events, clock: clock)
  }

  /// Runs `add`, which enters `object`, and records that if it is one of the sample.
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

  /// Counts an instance that is being made, and records it if it is one of the sample.
  func noteBirth(
    of type: AnyClass, _ configuration: () -> LifetimeConfiguration, at site: CallSite
  ) -> (LifetimeBirth, LifetimeCounter.Counts) {
    let start = meter.beginBirth() ? clock.now() : nil
    let counter = lifetimes.counter(of: type, configuration)
    let generation = lifetimes.generation
    let counts = counter.addBirth(generation: generation)
    let now = sampler.selects(counts.number) ? start ?? clock.now() : nil
    // No `flatMap`: it would be a call of the backtrace.
    let record = if let now { recordBirth(in: counter, at: site, now) } else { nil as Int? }
    // Of one that is not recorded, either all is timed or nothing.
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

  /// The records of the validated instances of a class.
  func book(of type: AnyClass) -> InstanceRecords { validated.book(of: type) }

  /// A class with tokens, or its group.
  func subject(_ counter: LifetimeCounter, group: LifetimeGroup?) -> LeakSubject {
    guard let group else { return LeakSubject(book: counter.records) }
    return LeakSubject(book: group.records) { [lifetimes] in
      lifetimes.all.filter { $0.group === group }.map(\.records)
    }
  }

  var cost: MonitorCost {
    meter.cost(births: lifetimes.all.reduce(0) { $0 + $1.count.total })
  }

  /// Completes a report, and tells whoever waits for events and then `reporter`.
  @discardableResult
  func tell(_ report: LeakReport, to reporter: any LeakReporter) -> LeakReport {
    let report = completed(report)
    events.send { LeakEvent(report) }
    reporter.report(report)
    return report
  }

  func remove(_ object: AnyObject) { validated.remove(object) }

  func removeAll() {
    suspicions.removeTold()
    validated.removeAll()
    lifetimes.removeAll()
  }

  /// Returns whether there was room for it, and the sample is not full.
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

  private func holderSearch(for report: LeakReport) -> HolderSearch {
    retainSettings.holderSearch(
      showing: report.state.isFailure ? retainSettings.paths : .hidden)
  }

  private func completed(_ report: LeakReport) -> LeakReport {
    var report = report
    let now = clock.now()
    if let subject = report.subject {
      // Of what is gone the count is no longer so, and the one instance is not to be found.
      let isGone = report.state == .late
      if subject.object == nil, !isGone { subject.book.note(report.liveCount, at: now) }
      report.history = subject.book.history
      var search = holderSearch(for: report)
      report.survivors =
        isGone && subject.object != nil ? [] : subject.survivors(at: now, &search)
      report.noteRunningTask()
    }
    report.monitorCost = cost
    return report
  }
}

/// What a monitor costs: validations, and births of tokens.
final class CostMeter: Sendable {
  let validations = CostEstimate()
  let births = CostEstimate()

  // Relaxed, all: figures for people, each for itself.
  private let validationCount = Atomic<Int>(0)
  private let birthsBegun = Atomic<Int>(0)
  private let backtraces = Atomic<Int>(0)

  /// Returns the number of the validation, from 1.
  func addValidation() -> Int {
    validationCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Returns whether the birth of a token that begins is to be timed.
  ///
  /// Not one operation: of births at once one may stand for two, which only makes the sample another. They are
  /// counted elsewhere, by class.
  func beginBirth() -> Bool {
    let number = birthsBegun.load(ordering: .relaxed) &+ 1
    birthsBegun.store(number, ordering: .relaxed)
    return CostEstimate.isTimed(number)
  }

  func noteBacktrace() {
    backtraces.wrappingAdd(1, ordering: .relaxed)
  }

  /// - Parameter births: how many tokens were made.
  func cost(births: Int) -> MonitorCost {
    let validations = validationCount.load(ordering: .relaxed)
    let nanoseconds =
      self.validations.nanoseconds(of: validations) + self.births.nanoseconds(of: births)
    return MonitorCost(
      validations: validations + births, backtraces: backtraces.load(ordering: .relaxed),
      total: .nanoseconds(Int64(nanoseconds)))
  }
}

/// The time of many acts of a kind, of which only some are timed: all that are recorded, and of the others the
/// first and one in 64 after it.
struct CostEstimate: ~Copyable, Sendable {
  private static let interval = 64

  // Relaxed, everywhere: figures for people, each for itself.
  private let recorded = Atomic<Int>(0)
  private let recordedNanoseconds = Atomic<Int>(0)
  private let timed = Atomic<Int>(0)
  private let timedNanoseconds = Atomic<Int>(0)

  /// Whether the act of that number, from 1, is timed though it may not be recorded.
  static func isTimed(_ number: Int) -> Bool { number % interval == 1 }

  /// Notes how long an act took that was recorded, or one that was only timed.
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

  /// The nanoseconds of `count` acts, all that there were. If none was timed that was not recorded, the others
  /// are taken for as dear as the recorded.
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
