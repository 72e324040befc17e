import Interleaving
import SeededRandom
import Threading
import WeakCollections

/// Tests a dictionary in the same way as this package tests its own: in random scenarios of all
/// operations, with objects whose `deinit` uses the dictionary, and threads that start others.
///
/// ```swift
/// @Test func `your dictionary is linearizable`() async throws {
///   try await stress(dictionary: { YourDictionary<StressKey, StressObject>() })
/// }
/// ```
///
/// It checks that the operations on each key are linearizable, and that counts are possible. It
/// checks that each object is released once, after its removal at the latest, and that all threads
/// end. In a build with the trait `Interleaving`, a dictionary that never suspends also runs under
/// the scheduler; ``StressOptions/drivers`` selects. A failure is minimized and thrown, with its
/// replay string.
///
/// The keys of a scenario are few, and pairs of them share a hash.
///
/// - Parameters:
///   - makeDictionary: Creates an empty dictionary, which may be an actor.
///   - options: The sizes of scenarios, the time to test, and the requirements. There are no calls
///     before and after the threads. ``StressOptions/callTimeLimit`` is the time in which no thread
///     ends its calls of an execution.
///   - file: The file of the caller, for messages.
///   - line: The line of the caller, for messages.
/// - Returns: The counts of the test.
/// - Throws: The failure.
@discardableResult
public func stress(
  dictionary makeDictionary:
    @escaping @Sendable () -> any ConcurrentDictionary<StressKey, StressObject> & Sendable,
  options: StressOptions = StressOptions(), file: StaticString = #fileID, line: UInt = #line
) async throws(StressFailure) -> StressSummary {
  let subject = Subject(CollectionKind.dictionary.rawValue) { _ -> Subject.Dictionary in
    makeDictionary()
  }
  return try await CollectionStress(subject, options, place: "\(file):\(line)").run()
}

/// Tests a weak array in the same way as this package tests its own.
///
/// ```swift
/// try await stress(weakArray: { YourWeakArray<StressObject>() })
/// ```
///
/// It checks that the operations are linearizable, that no element is kept alive, and that dead
/// entries are removed: after many mutations there are at most 2 × live + 64 entries. Otherwise it
/// is as `stress(dictionary:options:file:line:)`.
///
/// - Parameters:
///   - makeArray: Creates an empty weak array, which may be an actor.
///   - options: The sizes of scenarios, the time to test, and the requirements.
///   - file: The file of the caller, for messages.
///   - line: The line of the caller, for messages.
/// - Returns: The counts of the test.
/// - Throws: The failure.
@discardableResult
public func stress(
  weakArray makeArray:
    @escaping @Sendable () -> any ConcurrentWeakArray<StressObject> & Sendable,
  options: StressOptions = StressOptions(), file: StaticString = #fileID, line: UInt = #line
) async throws(StressFailure) -> StressSummary {
  let subject = Subject(CollectionKind.weakArray.rawValue) { _ -> Subject.WeakArray in
    makeArray()
  }
  return try await CollectionStress(subject, options, place: "\(file):\(line)").run()
}

/// Tests a weak set in the same way as this package tests its own.
///
/// ```swift
/// try await stress(weakSet: { YourWeakSet<StressObject>() })
/// ```
///
/// It checks what `stress(weakArray:options:file:line:)` checks.
///
/// - Parameters:
///   - makeSet: Creates an empty weak set, which may be an actor.
///   - options: The sizes of scenarios, the time to test, and the requirements.
///   - file: The file of the caller, for messages.
///   - line: The line of the caller, for messages.
/// - Returns: The counts of the test.
/// - Throws: The failure.
@discardableResult
public func stress(
  weakSet makeSet: @escaping @Sendable () -> any ConcurrentWeakSet<StressObject> & Sendable,
  options: StressOptions = StressOptions(), file: StaticString = #fileID, line: UInt = #line
) async throws(StressFailure) -> StressSummary {
  let subject = Subject(CollectionKind.weakSet.rawValue) { _ -> Subject.WeakSet in makeSet() }
  return try await CollectionStress(subject, options, place: "\(file):\(line)").run()
}

/// One stress test of a collection: a search for a failure, or the repetition of one.
struct CollectionStress: Sendable {
  private let subject: Subject
  private let options: StressOptions
  private let settings: StressSettings

  init(_ subject: Subject, _ options: StressOptions, place: String) {
    var subject = subject
    if options.requiresLockFreedom { subject.isLockFree = true }
    self.subject = subject
    self.options = options
    settings = StressSettings(options, place: place, whyNoSchedules: subject.whyNoSchedules)
  }

  func run() async throws(StressFailure) -> StressSummary {
    try settings.check(options)
    if let replay = settings.replay { return try await self.replay(replay) }
    var cells = try await cells()
    var summary = StressSummary(seed: settings.seed)
    let end = ContinuousClock.now + options.duration
    repeat {
      for index in cells.indices {
        let result = await cells[index].tryNext()
        summary.add(result.tally, of: cells[index].driver)
        if let finding = result.finding { throw failure(finding) }
      }
      summary.scenarios += 1
    } while ContinuousClock.now < end && summary.scenarios < options.scenarios ?? .max
    return summary
  }

  private func failure(_ finding: Finding) -> StressFailure {
    let violation = finding.violation
    var failure = settings.failure(.notLinearizable, violation.summary)
    failure.replay = finding.replay.text
    failure.details = finding.lines
    switch violation.kind {
    case .notLinearizable: failure.kind = .notLinearizable
    case .wrongCount: failure.kind = .wrongCount
    case .notConserved: failure.kind = .notConserved
    case .hang: failure.kind = .neverReturned
    case .execution:
      // A scheduler's execution always has its failure. The replay of a failed check has replaced
      // the violation by one of another kind, if it found one.
      let diagnosis = ExecutionDiagnosis(violation.failure!, isRepeated: false)
      failure.kind = diagnosis.kind
      failure.summary = diagnosis.summary ?? violation.summary
      if !diagnosis.isRepeatable { failure.replay = nil }
    }
    return failure
  }

  /// Notes what a trap on one of the threads prints, because it ends the process.
  private var announcement: @Sendable (ReplayString) -> Void {
    let note = TrapNote()
    return { replay in
      var failure = settings.failure(.crash, StressFailure.trapOnThreads)
      failure.replay = replay.text
      note.expect("\(failure)\n")
    }
  }

  private func replay(_ text: String) async throws(StressFailure) -> StressSummary {
    let replay = try parsed(text)
    let (tally, finding) = try await result(of: replay)
    if let finding { throw failure(finding) }
    var summary = StressSummary(seed: settings.seed)
    summary.scenarios = tally.scenarios
    summary.add(tally, of: replay.driver)
    return summary
  }

  private func parsed(_ text: String) throws(StressFailure) -> Replay {
    do throws(ReplayError) {
      return try Replay(ReplayString(parsing: text), on: subject)
    } catch {
      throw settings.failure(.unusableReplay, error.description)
    }
  }

  private func result(
    of replay: Replay
  ) async throws(StressFailure) -> (tally: StressTally, finding: Finding?) {
    do throws(ReplayError) {
      return try await replay.run(until: .now + options.duration, announce: announcement)
    } catch {
      throw settings.failure(.unusableReplay, error.description)
    }
  }
}

extension Subject {
  /// The reason why this build has no scheduler for the collection; `nil` if it has one.
  fileprivate var whyNoSchedules: String? {
    if StressDriver.schedules.supports(self) { return nil }
    return isSynchronous
      ? StressSettings.needsTrait : "schedules need a collection that never suspends"
  }
}

extension StressSummary {
  fileprivate mutating func add(_ tally: StressTally, of driver: StressDriver) {
    switch driver {
    case .threads: threadExecutions += tally.histories
    case .schedules: scheduledExecutions += tally.executions
    }
    undecided += tally.undecided
  }
}

// MARK: - Drivers

extension CollectionStress {
  /// The searches of the drivers.
  private func cells() async throws(StressFailure) -> [any StressCell] {
    try settings.checkDrivers()
    var seeds = SplitMix64(seed: settings.seed)
    let threads = Array(options.threads)
    var cells: [any StressCell] = []
    if settings.drivers.contains(.threads) {
      var cell = ThreadCell(
        subject, seed: seeds.next(), threads: threads, steps: options.callsPerThread,
        minimizing: options.minimizing, timeLimit: options.callTimeLimit)
      cell.announce = announcement
      cells.append(cell)
    }
    if settings.drivers.contains(.schedules) {
      try await checkControl()
      cells.append(
        ScheduleCell(
          subject, seed: seeds.next(), threads: threads, steps: options.callsPerThread,
          executions: 250, minimizing: options.minimizing, hangLimit: options.callTimeLimit))
    }
    return cells
  }

  /// Throws unless the scheduler controls the subject: more calls take more steps, do not wait
  /// outside of the scheduler, and take the same steps when the same schedules run again.
  private func checkControl() async throws(StressFailure) {
    let (few, more) = (insertions(perThread: 1), insertions(perThread: 2))
    let explored = await onOwnThread { [few, few, more].map { ($0, trial.explore($0)) } }
    for (scenario, outcome) in explored {
      guard let failed = outcome.failure else { continue }
      let violation = await onOwnThread { trial.violation(failed, of: scenario) }
      throw failure(
        Finding(
          subject: subject.name, scenario: scenario, violation: violation,
          replay: ReplayString(scenario, .schedule(failed.schedule.description))))
    }
    let steps = explored.map { $0.1.steps }
    guard steps[0] == steps[1] else {
      throw settings.failure(
        .nondeterministicSubject,
        ExecutionDiagnosis.unrepeated(
          "the same schedules took \(steps[0]) steps and then \(steps[1])"))
    }
    try settings.checkWaits(explored.map(\.1))
    guard steps[2] > steps[0] else {
      throw settings.failure(.uncontrolledSubject, ExecutionDiagnosis.withoutSteps)
    }
  }

  /// A short exploration.
  private var trial: ScheduleTrial {
    var trial = ScheduleTrial(subject: subject, seed: settings.seed, strategy: .randomWalk)
    trial.executions = 10
    trial.hangLimit = options.callTimeLimit
    return trial
  }

  /// Returns a scenario of two threads that insert.
  private func insertions(perThread count: Int) -> Scenario {
    let collection = subject.collection
    let threads = (0..<2).map { thread in
      ThreadPlan(
        (0..<count).map { index in
          let object = thread * count + index
          return collection == .dictionary
            ? Scenario.Step(.set, key: 0, object: object)
            : Scenario.Step(.enter(collection), object: object)
        })
    }
    return Scenario(collection, threads)
  }
}
