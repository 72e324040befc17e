import EpochReclamation
import Primitives
import SeededRandom
import Synchronization
import Threading
import WeakCollections

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Random scenarios of one subject on real threads.
package struct ThreadCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .threads }
  package var announce: @Sendable (ReplayString) -> Void = { _ in }
  private var scenarios: ScenarioGenerator
  private var seeds: SplitMix64
  private let minimizing: Duration

  /// - Parameter minimizing: how long a scenario that fails is made smaller.
  package init(_ subject: Subject, seed: UInt64, minimizing: Duration = .seconds(3)) {
    self.subject = subject
    self.minimizing = minimizing
    let limits = ScenarioGenerator.Limits.threads(cores: Host.usableCores)
    seeds = SplitMix64(seed: seed)
    scenarios = ScenarioGenerator(
      for: subject.collection, seed: seeds.next(),
      limits: subject.isSynchronous ? limits : limits.suspending)
  }

  package mutating func tryNext() async -> StressResult {
    let scenario = scenarios.next()
    var trial = ThreadTrial(subject: subject, seed: seeds.next())
    trial.usesTickets = seeds.number(below: 8) == 0
    trial.announce = announce
    let (tally, violation) = await trial.run(scenario)
    var result = StressResult(tally: tally)
    guard let violation else { return result }
    result.tally.violations = 1
    result.finding = await minimized(scenario, violation, trial)
    return result
  }

  private func minimized(
    _ scenario: Scenario, _ violation: Violation, _ trial: ThreadTrial
  ) async -> Finding {
    // A hang is not repeated: the threads that hang are there for good.
    let isRepeatable = violation.kind != .hang
    let end = ContinuousClock.now + (isRepeatable ? minimizing : .zero)
    let minimizer = Minimizer { candidate in await trial.violation(of: candidate, until: end) }
    let (scenario, violation) = await minimizer.minimize(
      scenario, failing: violation, suspects: violation.suspects(in: scenario),
      isOutOfTime: { ContinuousClock.now >= end })
    return Finding(
      subject: subject.name, scenario: scenario, violation: violation,
      replay: ReplayString(scenario, .threads(seed: trial.seed)))
  }
}

/// One scenario on real threads, run again and again.
struct ThreadTrial: Sendable {
  let subject: Subject
  let seed: UInt64
  var usesTickets = false
  var announce: @Sendable (ReplayString) -> Void = { _ in }

  init(subject: Subject, seed: UInt64) {
    self.subject = subject
    self.seed = seed
  }

  /// Runs the rounds once and checks each history that differs from the others.
  func run(
    _ scenario: Scenario, repetition: UInt64 = 0
  ) async -> (tally: StressTally, violation: Violation?) {
    announce(ReplayString(scenario, .threads(seed: seed)))
    var driver = ThreadDriver(rounds: Self.rounds(of: scenario), seed: seed &+ repetition)
    driver.usesTickets = usesTickets
    // Many threads on few cores, and many histories in one: a hang is still told from slowness.
    driver.bagCapacity = [1, 2, 64][Int((seed &+ repetition) % 3)]
    var tally = StressTally()
    tally.scenarios = 1
    guard let recordings = await driver.run(scenario, on: subject) else {
      return (tally, Violation(.hang, "not all threads ended within \(driver.timeLimit)"))
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

  /// About as many operations for large scenarios as for small ones: one that was made smaller is tried
  /// the more often.
  private static func rounds(of scenario: Scenario) -> Int {
    max(2, min(100, 1000 / max(1, scenario.steps.count)))
  }

  /// Repeats a scenario, which may fail only now and then; nil if it did not fail.
  func violation(
    of scenario: Scenario, repetitions: UInt64 = 6, until end: ContinuousClock.Instant
  ) async -> Violation? {
    for repetition in 0..<repetitions where ContinuousClock.now < end {
      if let violation = await run(scenario, repetition: repetition).violation { return violation }
    }
    return nil
  }
}

/// Runs a scenario many times on threads of the operating system, or for a subject that suspends in tasks
/// of which each has such a thread.
///
/// Each round has a collection and objects of its own, made beforehand; the threads meet at a start line
/// and then wait for a random moment, so that each round is another overlap.
package struct ThreadDriver: Sendable {
  package var rounds: Int
  /// Of the domain in which a round's memory is reclaimed: few make much reclaiming.
  package var bagCapacity = 2
  package var seed: UInt64
  /// Whether stamps are tickets from one counter; see `StampSource`.
  package var usesTickets = false
  /// What a hang is.
  package var timeLimit: Duration = .seconds(20)

  package init(rounds: Int, seed: UInt64) {
    self.rounds = rounds
    self.seed = seed
  }

  /// What came of each round; nil if not all threads ended in time. Those are left to themselves.
  package func run(_ scenario: Scenario, on subject: Subject) async -> [Recording]? {
    let domain = EpochDomain(bagCapacity: bagCapacity, reportStall: { _ in })
    let stamps = usesTickets ? StampSource.ticket() : .clock
    let rounds = (0..<rounds).map { _ in
      Round(scenario, of: subject, domain: domain, stamps: stamps)
    }
    return await withDeadline(timeLimit) { [self] in
      await subject.isSynchronous ? onThreads(rounds, scenario) : inTasks(rounds, scenario)
    }
  }

  private func onThreads(_ rounds: [Round], _ scenario: Scenario) async -> [Recording] {
    let first = scenario.threads.indices.filter { scenario.threads[$0].birth == nil }
    let line = StartLine(threadCount: first.count)
    _ = await onOwnThreads(first.count) { index in
      var delays = delays(of: index)
      for round in rounds {
        let target = round.target as! any SynchronousTarget
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay))
        Self.run(first[index], of: round, on: target)
      }
    }
    return await onOwnThread {
      rounds.map { $0.end(on: $0.target as! any SynchronousTarget) }
    }
  }

  /// The thread itself and, joined at its end, the threads born of it.
  private static func run(_ thread: Int, of round: Round, on target: any SynchronousTarget) {
    var children: [OwnedThread] = []
    round.run(thread, on: target) { child in
      children.append(OwnedThread { run(child, of: round, on: target) })
    }
    for child in children { child.join() }
  }

  private func inTasks(_ rounds: [Round], _ scenario: Scenario) async -> [Recording] {
    let line = StartLine(threadCount: scenario.threads.count)
    _ = await inOwnThreadTasks(scenario.threads.count) { index in
      var delays = delays(of: index)
      for round in rounds {
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay))
        await round.run(index)
      }
    }
    var recordings: [Recording] = []
    for round in rounds { recordings.append(await round.end()) }
    return recordings
  }

  private static let longestDelay = 256

  private func delays(of thread: Int) -> SplitMix64 {
    SplitMix64(seed: seed ^ UInt64(thread) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func wait(_ hints: Int) {
    for _ in 0..<hints { spinHint() }
  }
}

/// Where threads meet before each round, to begin it within nanoseconds of each other: they spin, and give
/// their core away where there are more of them than cores.
final class StartLine: Sendable {
  private let threadCount: Int
  private let spins: Int
  private let arrivals = Synchronization.Atomic<Int>(0)
  private let generation = Synchronization.Atomic<Int>(0)

  init(threadCount: Int) {
    self.threadCount = threadCount
    spins = threadCount <= Host.usableCores ? 4096 : 16
  }

  /// Returns once all threads are there.
  func arrive() {
    // Relaxed: this thread's own last generation.
    let mine = generation.load(ordering: .relaxed)
    // Acquiring and releasing: the last one has seen what all others did.
    if arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == threadCount {
      // Relaxed: published by the store below.
      arrivals.store(0, ordering: .relaxed)
      // Releasing: pairs with the loads below.
      generation.store(mine + 1, ordering: .releasing)
      return
    }
    var left = spins
    // Acquiring: pairs with the store above.
    while generation.load(ordering: .acquiring) == mine {
      left -= 1
      if left > 0 { spinHint() } else { sched_yield() }
    }
  }
}

/// Returns what `body` does, or nil if that takes longer than `limit`; the body then goes on unattended.
///
/// The body prefers a thread of its own and time runs once it is there: a pool whose threads are all
/// busy with something else is no hang of the body's.
func withDeadline<R: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async -> R
) async -> R? {
  await withCheckedContinuation { continuation in
    let race = Race(continuation)
    Task {
      await OwnedThreadExecutor.with(1) { threads in
        await withTaskExecutorPreference(threads[0]) {
          let sleeper = Task { await race.finish(nil, after: limit) }
          race.finish(await body())
          sleeper.cancel()
        }
      }
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Race<R: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<R?, Never>?>

  init(_ continuation: CheckedContinuation<R?, Never>) {
    self.continuation = Mutex(continuation)
  }

  /// Does nothing if the task is cancelled in that time.
  func finish(_ result: R?, after limit: Duration) async {
    try? await Task.sleep(for: limit)
    if !Task.isCancelled { finish(result) }
  }

  func finish(_ result: R?) {
    let continuation = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    continuation?.resume(returning: result)
  }
}
