import ArgumentParser
import Benchmarking
import Measurements
import Primitives
import Workloads

/// Measures: makes the trials, writes a row for each, and shows a table of them.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure, write one CSV row for each trial, and show a table.",
    discussion: RunHelp.text)

  @OptionGroup var options: RunOptions

  func run() async throws {
    // Not the system's generator itself: ThreadSanitizer crashes on a change of a value without size.
    var generator = SplitMix64(seed: UInt64.random(in: .min ... .max))
    let start = UTCTime.now
    let plan = try RunPlan(
      options, usableCores: Host.usableCores, drawnSeed: .random(using: &generator))
    let destination = try OutputDestination(
      options, defaultName: "weakbench-\(start.compact).csv")
    try EnvironmentProbe.check(machine: options.machine)
    try destination.check()
    try BuildFitness.check(options)

    let template = RowTemplate(
      run: RowTemplate.runName(at: start, using: &generator),
      environment: EnvironmentProbe.environment(machine: options.machine))
    let journal = RunJournal(
      plan, template: template, sink: try RowSink(opening: destination),
      drawsProgress: Terminal.isFree(of: destination) && !options.noProgress)
    let ending = RunEnding(
      total: plan.trials.count, destination: destination, isQuick: options.quick,
      details: options.details)
    Interruption.observe { journal.close { ending.exit($0, failures: $1, as: .interrupted) } }

    await Preamble.announce(plan, destination)
    do {
      try await Self.makeTrials(of: plan, journal) { trial throws(TrialFailure) in
        try await trial.run()
      }
    } catch {
      Console.note(error.description)
      journal.close { ending.exit($0, failures: $1, as: .failed) }
    }
    journal.close { ending.exit($0, failures: $1, as: $1 == 0 ? .fine : .found) }
  }

  /// One after the other. Failed trials are noted; what cannot be written ends the run.
  static func makeTrials(
    of plan: RunPlan, _ journal: RunJournal,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    for (done, trial) in plan.trials.enumerated() {
      journal.begin(trial, after: done)
      let result: TrialResult
      do {
        result = try await run(trial)
      } catch {
        journal.fail(error)
        continue
      }
      try journal.finish(trial, result)
    }
  }
}
