import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import Primitives
import SeededRandom
import Workloads

/// Makes the trials of a plan and writes the row of each as it is there.
struct MeasuringRun {
  let plan: RunPlan
  /// The plan that `plan` is what is left of, or else the same.
  let whole: RunPlan
  let environment: Measurement.Environment
  let destination: OutputDestination
  var roles: OutputDestination?
  var histograms: OutputFolder?
  /// Where the trials of an A/A run go, if one is wanted, which is made first.
  var noise: OutputDestination?
  let drawsProgress: Bool

  /// Ends the program by `end`, which gets the rows, how many trials failed and what became of the run; also
  /// when it is interrupted.
  func run(
    from start: UTCTime,
    end: @escaping @Sendable ([Measurement], _ failures: Int, ExitStatus) -> Never
  ) async throws -> Never {
    var generator = SplitMix64.drawn()
    let template = RowTemplate(
      run: RowTemplate.runName(at: start, using: &generator), environment: environment,
      plan: PlanName.text(of: whole.whole.map(PlannedRow.init), in: environment),
      shard: whole.shard?.name)
    let journal = RunJournal(
      plan, template: template, sink: try RowSink(opening: destination, roles: roles),
      histograms: histograms, drawsProgress: drawsProgress)
    Interruption.observe { journal.close { end($0, $1, .interrupted) } }

    do {
      if let noise {
        let measured = try NoiseRun.measure(template.environment, rows: noise)
        Console.writeError(NoiseText(measured).text + "\n")
      }
      let forks = try plan.forks == 1 ? nil : Forks(for: plan.trials)
      try await Self.makeTrials(of: plan, journal) { trial throws(TrialFailure) in
        if let forks { try forks.run(trial) } else { try await trial.run() }
      }
    } catch {
      Console.note(error.description)
      journal.close { end($0, $1, .failed) }
    }
    journal.close { end($0, $1, $1 == 0 ? .fine : .found) }
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
