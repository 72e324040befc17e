import Interleaving
import Primitives
import SeededRandom
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// The seed and the replay string of a stress test: of the environment, or else of the options. And
/// the drivers.
struct StressSettings: Sendable {
  let seed: UInt64
  let replay: String?
  let drivers: Set<StressOptions.Driver>
  /// The reason why this build has no scheduler for the subject; `nil` if it has one.
  let whyNoSchedules: String?
  private let place: String

  /// Prints the seed, and why the default drivers are not all of them.
  init(_ options: StressOptions, place: String, whyNoSchedules: String?) {
    let given = Self.variable("STRESS_SEED").flatMap { UInt64($0) }
    seed = given ?? options.seed ?? .random(in: 0...UInt64(UInt32.max))
    replay = Self.variable("STRESS_REPLAY") ?? options.replay
    drivers =
      (options.drivers ?? (whyNoSchedules == nil ? [.threads, .schedules] : [.threads]))
      .union(options.requiresLockFreedom ? [.schedules] : [])
    self.whyNoSchedules = whyNoSchedules
    self.place = place
    let omission = options.drivers == nil ? whyNoSchedules.map { ", on threads alone: \($0)" } : nil
    printError("stress \(place): STRESS_SEED=\(seed)\(omission ?? "")")
  }

  static let needsTrait = "schedules need a build with the trait Interleaving of weak-collections"

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Throws if a test with these options would test nothing.
  func check(_ options: StressOptions) throws(StressFailure) {
    if let defect = options.defect { throw failure(.invalidOptions, defect) }
  }

  /// Throws if the test needs schedules and this build has no scheduler for the subject.
  func checkDrivers() throws(StressFailure) {
    guard drivers.contains(.schedules), let whyNoSchedules else { return }
    throw failure(.unavailable, whyNoSchedules)
  }

  /// Throws if the executions of schedules waited outside of the scheduler each time.
  func checkWaits(_ outcomes: [Outcome]) throws(StressFailure) {
    let waits = outcomes.reduce(0) { $0 + $1.waits }
    let executions = outcomes.reduce(0) { $0 + $1.executions }
    guard waits >= executions else { return }
    throw failure(
      .uncontrolledSubject,
      "the calls waited \(waits) times in \(executions) schedules, so that hardly any schedule "
        + "would be executed: a call sleeps, or waits for something that the scheduler does not "
        + "control; \(ExecutionDiagnosis.remedy)")
  }

  func failure(_ kind: StressFailure.Kind, _ summary: String) -> StressFailure {
    var failure = StressFailure(kind, summary, seed: seed)
    failure.place = place
    return failure
  }
}

/// One run of a stress test: a search for a failure, or the repetition of one.
struct StressRun<Subject: Sendable>: Sendable {
  private let test: StressTest<Subject>
  private let settings: StressSettings

  init(_ test: StressTest<Subject>) {
    self.test = test
    settings = StressSettings(
      test.options, place: test.place, whyNoSchedules: test.whyNoSchedules)
  }

  private var seed: UInt64 { settings.seed }

  func run() async throws(StressFailure) -> StressSummary {
    if test.bodies.isEmpty {
      throw failure(.invalidOptions, "there are no operations; give at least one StressOperation")
    }
    try settings.check(test.options)
    try checkModel()
    if let replay = settings.replay { return try await self.replay(replay) }
    if test.options.requiresLockFreedom, !test.isSynchronous {
      throw failure(.unavailable, "lock-freedom needs operations that do not suspend")
    }
    try settings.checkDrivers()
    return try await search()
  }

  private func failure(_ kind: StressFailure.Kind, _ summary: String) -> StressFailure {
    settings.failure(kind, summary)
  }

  // MARK: Misuse

  private func checkModel() throws(StressFailure) {
    if let defect = test.modelDefect(sequences(count: 50, seed: seed), test.names) {
      throw failure(.modelIsNoValue, defect)
    }
  }

  /// Returns sequences of calls of one thread.
  private func sequences(count: Int, seed: UInt64) -> [[PlannedCall]] {
    let counts = test.names.argumentCounts
    var generator = CallGenerator(argumentCounts: counts, options: test.options, seed: seed)
    return (0..<count).map { _ in generator.calls(of: Array(counts.indices), count: 8) }
  }

  /// Makes the same calls to two subjects in one thread, and compares the results.
  private func checkDeterminism() async throws(StressFailure) {
    for calls in sequences(count: 5, seed: seed ^ 1) {
      let scenario = CallScenario(before: calls, threads: [])
      let trial = CallThreadTrial(test: test, seed: seed)
      switch await trial.recordings(of: scenario, rounds: 2, seed: seed) {
      case .hang(let pending):
        throw test.failure(trial.hang(pending, in: scenario), seed: seed)
      case .recorded(let recordings):
        for (first, second) in zip(recordings[0].calls, recordings[1].calls)
        where first.result != second.result {
          throw failure(
            .nondeterministicSubject,
            "the same calls in one thread returned \(test.names.text(of: first.planned)) → "
              + "\(first.result?.text ?? "") and then → \(second.result?.text ?? ""); "
              + "give the subject a fixed seed and no clock")
        }
      }
    }
  }

  // MARK: Drivers

  private func search() async throws(StressFailure) -> StressSummary {
    let drivers = settings.drivers
    var summary = StressSummary(seed: seed)
    // Each driver has its own seed, so its scenarios do not depend on the other driver's speed.
    var threads = CallThreadSearch(test, seed: seed ^ 2)
    var schedules = CallScheduleSearch(test, seed: seed ^ 3)
    // Schedules first: a trap in one is a finding, and one on a thread ends the process.
    if drivers.contains(.schedules) { try await checkControl(schedules) }
    if drivers.contains(.threads) { try await checkDeterminism() }
    let end = ContinuousClock.now + test.options.duration
    var count = 0
    repeat {
      if drivers.contains(.schedules),
        let finding = await schedules.tryNext(&summary, until: end)
      {
        throw test.failure(finding, seed: seed)
      }
      if drivers.contains(.threads), let finding = await threads.tryNext(&summary) {
        throw test.failure(finding, seed: seed)
      }
      summary.scenarios += 1
      count += 1
    } while ContinuousClock.now < end && count < test.options.scenarios ?? .max
    return summary
  }

  /// Throws unless the scheduler controls the subject: its calls take steps, do not wait outside
  /// of the scheduler, and take the same steps when the same schedules run again.
  private func checkControl(
    _ schedules: CallScheduleSearch<Subject>
  ) async throws(StressFailure) {
    let scenario = schedules.scenarioOfAllOperations
    let trial = CallScheduleTrial(
      test: test, plan: Exploration(strategy: .randomWalk, seed: seed, executions: 10))
    let explored = await trial.onThread { [trial.explore(scenario), trial.explore(scenario)] }
    guard let outcomes = explored else { throw test.failure(trial.blocked(scenario), seed: seed) }
    for outcome in outcomes {
      guard let failed = outcome.failure else { continue }
      throw test.failure(await schedules.minimized(scenario, failed, trial), seed: seed)
    }
    let (first, second) = (outcomes[0], outcomes[1])
    guard first.steps == second.steps, first.switches == second.switches else {
      throw failure(
        .nondeterministicSubject,
        "the same schedules took \(first.steps) steps and then \(second.steps); "
          + "the subject must use no randomness, no clock and no addresses")
    }
    try settings.checkWaits(outcomes)
    // The controlled executor sees each task that leaves it. Of virtual threads, the trace has a
    // line at the call and at the return, which count as steps.
    if test.isSynchronous, first.steps <= first.executions * UInt64(2 * scenario.count) {
      throw failure(.uncontrolledSubject, ExecutionDiagnosis.withoutSteps)
    }
  }
}

// MARK: Replay

extension StressRun {
  private func replay(_ text: String) async throws(StressFailure) -> StressSummary {
    let scenario: CallScenario
    let run: ReplayText.Run
    do throws(ReplayError) {
      let parsed = try ReplayText(
        parsing: text, version: StressTest<Subject>.replayVersion, scenarioParts: 2)
      guard parsed.scenario[0] == test.names.fingerprint else {
        throw .malformed(
          "it belongs to a test with other operations; run only its test, with --filter")
      }
      do throws(ScenarioError) {
        scenario = try CallScenario(
          parsing: parsed.scenario[1], argumentCounts: test.names.argumentCounts)
      } catch {
        throw .malformed(error.description)
      }
      run = parsed.run
    } catch {
      throw failure(.unusableReplay, error.description)
    }
    switch run {
    case .threads(let seed): return try await replayOnThreads(scenario, seed)
    case .schedule(let text): return try await replay(scenario, text)
    }
  }

  private func replayOnThreads(
    _ scenario: CallScenario, _ seed: UInt64
  ) async throws(StressFailure) -> StressSummary {
    var summary = StressSummary(seed: self.seed)
    let trial = CallThreadTrial(test: test, seed: seed)
    let end = ContinuousClock.now + test.options.duration
    var repetition: UInt64 = 0
    repeat {
      let result = await trial.run(scenario, repetition: repetition)
      summary.scenarios += 1
      summary.threadExecutions += result.executions
      summary.undecided += result.undecided
      if let finding = result.finding { throw test.failure(finding, seed: self.seed) }
      repetition += 1
    } while ContinuousClock.now < end
    return summary
  }

  private func replay(
    _ scenario: CallScenario, _ text: String
  ) async throws(StressFailure) -> StressSummary {
    let schedule: Schedule
    do throws(ScheduleError) {
      schedule = try Schedule(parsing: text)
    } catch {
      throw failure(.unusableReplay, error.description)
    }
    if let why = settings.whyNoSchedules { throw failure(.unavailable, why) }
    let suspends = schedule.decisions.contains { if case .suspend = $0 { true } else { false } }
    let trial = CallScheduleTrial(
      test: test,
      plan: Exploration(
        strategy: .replay(schedule), seed: 0, executions: 1, suspendsOneThread: suspends))
    let explored = await trial.onThread { trial.explore(scenario) }
    guard let outcome = explored else { throw test.failure(trial.blocked(scenario), seed: seed) }
    if let failed = outcome.failure {
      if case .scheduleMismatch = failed.failure {
        throw failure(.unusableReplay, "\(failed.failure)")
      }
      throw test.failure(await trial.found(failed, scenario), seed: seed)
    }
    var summary = StressSummary(seed: seed)
    summary.scenarios = 1
    summary.scheduledExecutions = 1
    return summary
  }
}

// MARK: Searches

/// A search on threads, scenario after scenario.
private struct CallThreadSearch<Subject: Sendable>: Sendable {
  private let test: StressTest<Subject>
  private var generator: CallGenerator
  private var seeds: SplitMix64

  init(_ test: StressTest<Subject>, seed: UInt64) {
    self.test = test
    seeds = SplitMix64(seed: seed)
    generator = CallGenerator(
      argumentCounts: test.names.argumentCounts, roles: test.names.roles, options: test.options,
      seed: seeds.next())
  }

  /// Runs the next scenario; returns a minimized finding.
  mutating func tryNext(_ summary: inout StressSummary) async -> CallFinding? {
    let scenario = generator.next()
    let trial = CallThreadTrial(test: test, seed: seeds.next())
    let result = await trial.run(scenario)
    summary.threadExecutions += result.executions
    summary.undecided += result.undecided
    guard let finding = result.finding else { return nil }
    // A call that never returned is not repeated: its thread never ends.
    if finding.kind == .neverReturned { return finding }
    let end = ContinuousClock.now + test.options.minimizing
    let minimizer = Minimizer<CallScenario, CallFinding> {
      await trial.finding(of: $0, until: end)
    }
    return await minimizer.minimize(
      scenario, failing: finding, isOutOfTime: { ContinuousClock.now >= end }
    ).failure
  }
}

/// A search under the scheduler, scenario after scenario.
private struct CallScheduleSearch<Subject: Sendable>: Sendable {
  private let test: StressTest<Subject>
  private var generator: CallGenerator
  private var seeds: SplitMix64
  private var turn = 0

  init(_ test: StressTest<Subject>, seed: UInt64) {
    self.test = test
    seeds = SplitMix64(seed: seed)
    generator = CallGenerator(
      argumentCounts: test.names.argumentCounts, roles: test.names.roles, options: test.options,
      seed: seeds.next())
  }

  /// A scenario in which a thread calls each operation, as far as the options allow, and another
  /// one those that are not reserved.
  var scenarioOfAllOperations: CallScenario {
    let calls = test.bodies.indices.prefix(test.options.callsPerThread.upperBound).map {
      PlannedCall(operation: $0, argument: 0)
    }
    let shared = calls.filter { test.names.roles[$0.operation] == nil }
    let threads = [calls, shared].prefix(test.options.threads.upperBound)
    return CallScenario(threads: threads.filter { !$0.isEmpty })
  }

  /// Explores the next scenario; returns a minimized finding.
  mutating func tryNext(
    _ summary: inout StressSummary, until end: ContinuousClock.Instant
  ) async -> CallFinding? {
    let scenario = generator.next()
    let trial = CallScheduleTrial(test: test, plan: plan())
    let limit = max(end - ContinuousClock.now, .milliseconds(1))
    let explored = await trial.onThread { trial.explore(scenario, timeLimit: limit) }
    guard let outcome = explored else { return trial.blocked(scenario) }
    summary.scheduledExecutions += Int(outcome.executions)
    guard let failed = outcome.failure else { return nil }
    return await minimized(scenario, failed, trial)
  }

  private mutating func plan() -> Exploration {
    turn += 1
    let seed = seeds.next()
    if test.options.requiresLockFreedom, turn % 2 == 1 {
      return .stoppingOneThread(executions: 20_000)
    }
    let strategies: [Exploration.Strategy] = [
      .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
    ]
    return Exploration(
      strategy: strategies[seeds.number(below: strategies.count)], seed: seed, executions: 250,
      memory: MemoryModel.weakModels[seeds.number(below: MemoryModel.weakModels.count)])
  }

  /// Returns the finding of a smaller scenario that fails.
  func minimized(
    _ scenario: CallScenario, _ failed: FailedExecution, _ trial: CallScheduleTrial<Subject>
  ) async -> CallFinding {
    // A subject that blocks the scheduler, or escapes it, does so each time.
    if failed.isUncontrolled { return trial.finding(failed, of: scenario) }
    let end = ContinuousClock.now + test.options.minimizing
    let minimizer = Minimizer<CallScenario, FailedExecution> { candidate in
      await trial.onThread {
        trial.plan.failure(until: end) { trial.explore(candidate, $0) }
      } ?? nil
    }
    let (smallest, found) = await minimizer.minimize(
      scenario, failing: failed, isOutOfTime: { ContinuousClock.now >= end })
    let fewest = await trial.onThread {
      trial.plan.failureWithFewestSwitches { trial.explore(smallest, $0) }
    }
    return await trial.found((fewest ?? nil) ?? found, smallest)
  }
}

extension CallScheduleTrial {
  /// Returns the finding that a failed execution is, on a thread of its own.
  fileprivate func found(_ failed: FailedExecution, _ scenario: CallScenario) async -> CallFinding {
    await onThread { finding(failed, of: scenario) } ?? blocked(scenario)
  }
}

extension FailedExecution {
  /// Whether the subject waits outside of the scheduler, or escapes it.
  fileprivate var isUncontrolled: Bool {
    switch failure {
    case .hang, .uncontrolled: true
    default: false
    }
  }
}
