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
