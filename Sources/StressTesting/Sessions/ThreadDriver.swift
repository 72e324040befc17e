import EpochReclamation
import Primitives
import SeededRandom
import Threading
import WeakCollections

/// A cell that runs random scenarios on real threads.
package struct ThreadCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .threads }
  package var announce: @Sendable (ReplayString) -> Void = { _ in }
  package var onViolation: @Sendable (Finding) -> Void = { _ in }
  private var scenarios: ScenarioGenerator
  private var seeds: SplitMix64
  private let minimizing: Duration
  private let timeLimit: Duration

  /// - Parameters:
  ///   - threads: The numbers of threads of scenarios; `nil` for 2 to 4, and crowds.
  ///   - steps: The numbers of steps of a thread; `nil` for 1 to 6.
  ///   - minimizing: The time limit for the minimization of a failing scenario.
  ///   - timeLimit: The time without progress after which a scenario counts as hanging.
  package init(
    _ subject: Subject, seed: UInt64, threads: [Int]? = nil, steps: ClosedRange<Int>? = nil,
    minimizing: Duration = .seconds(3), timeLimit: Duration = ThreadDriver.standardTimeLimit
  ) {
    self.subject = subject
    self.minimizing = minimizing
    self.timeLimit = timeLimit
    let standard = ScenarioGenerator.Limits.threads(cores: Host.usableCores)
    var limits = threads.map(standard.exactly) ?? standard
    limits.steps = steps ?? limits.steps
    seeds = SplitMix64(seed: seed)
    scenarios = ScenarioGenerator(
      for: subject.collection, seed: seeds.next(),
      limits: subject.isSynchronous ? limits : limits.suspending)
  }

  package mutating func tryNext() async -> StressResult {
    let scenario = scenarios.next()
    var trial = ThreadTrial(subject: subject, seed: seeds.next())
    trial.announce = announce
    trial.timeLimit = timeLimit
    let (tally, violation) = await trial.run(scenario)
    var result = StressResult(tally: tally)
    guard let violation else { return result }
    result.tally.violations = 1
    onViolation(trial.finding(violation, in: scenario))
    result.finding = await minimized(scenario, violation, trial)
    return result
  }

  private func minimized(
    _ scenario: Scenario, _ violation: Violation, _ trial: ThreadTrial
  ) async -> Finding {
    // A hang is not repeated: its threads never end.
    let isRepeatable = violation.kind != .hang
    let end = ContinuousClock.now + (isRepeatable ? minimizing : .zero)
    let minimizer = Minimizer { candidate in await trial.violation(of: candidate, until: end) }
    let (scenario, violation) = await minimizer.minimize(
      scenario, failing: violation, suspects: violation.suspects(in: scenario),
      isOutOfTime: { ContinuousClock.now >= end })
    return trial.finding(violation, in: scenario)
  }
}

/// The repeated execution of one scenario on real threads.
struct ThreadTrial: Sendable {
  let subject: Subject
  let seed: UInt64
  var announce: @Sendable (ReplayString) -> Void = { _ in }
  /// The time without progress after which the scenario counts as hanging.
  var timeLimit = ThreadDriver.standardTimeLimit

  init(subject: Subject, seed: UInt64) {
    self.subject = subject
    self.seed = seed
  }

  func finding(_ violation: Violation, in scenario: Scenario) -> Finding {
    Finding(
      subject: subject.name, scenario: scenario, violation: violation,
      replay: ReplayString(scenario, .threads(seed: seed)))
  }

  /// Runs all rounds of a scenario once, and checks the distinct histories.
  func run(
    _ scenario: Scenario, repetition: UInt64 = 0
  ) async -> (tally: StressTally, violation: Violation?) {
    announce(ReplayString(scenario, .threads(seed: seed)))
    var driver = ThreadDriver(
      rounds: ThreadRounds.count(operations: scenario.steps.count), seed: seed &+ repetition)
    // By the seed, as the delays, so that a replay has the same.
    driver.usesTickets = seed.isMultiple(of: 8)
    driver.timeLimit = timeLimit
    // A small capacity causes frequent reclamation; 64 is the default.
    driver.bagCapacity = [1, 2, 64][Int((seed &+ repetition) % 3)]
    var tally = StressTally()
    tally.scenarios = 1
    guard let recordings = await driver.run(scenario, on: subject) else {
      return (
        tally,
        Violation(.hang, "some threads did not end, and none made progress in \(driver.timeLimit)")
      )
    }
    let check = RecordingCheck(scenario)
    tally.histories = recordings.count
    tally.operations = recordings.reduce(0) { $0 + $1.operations.count }
    for recording in Set(recordings) {
      switch check.verdict(on: recording) {
      case .fine: continue
      case .undecided: tally.undecided += 1
      case .violation(let violation): return (tally, violation)
      }
    }
    return (tally, nil)
  }

  /// Repeats a scenario, which may fail only occasionally; returns `nil` if it did not fail.
  func violation(
    of scenario: Scenario, repetitions: UInt64 = 6, until end: ContinuousClock.Instant
  ) async -> Violation? {
    for repetition in 0..<repetitions where ContinuousClock.now < end {
      if let violation = await run(scenario, repetition: repetition).violation { return violation }
    }
    return nil
  }
}

/// Runs a scenario many times on operating system threads. If the subject suspends, each thread
/// runs a task. Each round has its own collection and objects; see `ThreadRounds`.
package struct ThreadDriver: Sendable {
  /// The number of executions.
  package var rounds: Int
  /// The bag capacity of the reclamation domain. A small one causes frequent reclamation.
  package var bagCapacity = 2
  /// The seed of the random delays.
  package var seed: UInt64
  /// Whether stamps are tickets from one counter; see `StampSource`.
  package var usesTickets = false
  /// The time in which no thread ends a round, after which the rounds count as hanging.
  package var timeLimit = standardTimeLimit

  /// Long enough for each of many threads on few busy cores to run once.
  package static let standardTimeLimit = Duration.seconds(60)

  package init(rounds: Int, seed: UInt64) {
    self.rounds = rounds
    self.seed = seed
  }

  /// Returns the recording of each round; `nil` if the threads made no progress for the time limit
  /// although not all had ended. The driver abandons such threads.
  package func run(_ scenario: Scenario, on subject: Subject) async -> [Recording]? {
    let domain = EpochDomain(
      pinning: subject.pinning, bagCapacity: bagCapacity, reportStall: { _ in })
    let stamps = usesTickets ? StampSource.ticket() : .clock
    let rounds = (0..<rounds).map { _ in
      Round(scenario, of: subject, domain: domain, stamps: stamps)
    }
    let progress = Counter()
    return await withDeadline(timeLimit, progress: { progress.total }) { [self] in
      await subject.isSynchronous
        ? onThreads(rounds, scenario, progress) : inTasks(rounds, scenario, progress)
    }
  }

  private func onThreads(
    _ rounds: [Round], _ scenario: Scenario, _ progress: Counter
  ) async -> [Recording] {
    let first = scenario.threads.indices.filter { scenario.threads[$0].birth == nil }
    await ThreadRounds(seed: seed).run(rounds, threads: first.count) { round, index in
      Self.run(first[index], of: round, on: round.target as! any SynchronousTarget)
      progress.add()
    }
    return await onOwnThread {
      rounds.map { round in
        progress.add()
        return round.end(on: round.target as! any SynchronousTarget)
      }
    }
  }

  /// Runs a thread of the scenario and the threads that it starts, and joins the latter.
  private static func run(_ thread: Int, of round: Round, on target: any SynchronousTarget) {
    var children: [OwnedThread] = []
    round.run(thread, on: target) { child in
      children.append(OwnedThread { run(child, of: round, on: target) })
    }
    for child in children { child.join() }
  }

  private func inTasks(
    _ rounds: [Round], _ scenario: Scenario, _ progress: Counter
  ) async -> [Recording] {
    await ThreadRounds(seed: seed).runTasks(rounds, threads: scenario.threads.count) {
      await $0.run($1)
      progress.add()
    }
    var recordings: [Recording] = []
    for round in rounds {
      progress.add()
      recordings.append(await round.end())
    }
    return recordings
  }
}
