import TerminalIO
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting
import SeededRandom
import WeakCollections
import Workloads

/// An A/A run: a lock and a lock-free dictionary, each against itself in many processes that take turns.
package struct NoiseRun {
  package let trials: [TrialSpecification]

  /// Enough to tell what processes differ by within a third or so.
  package static let processes = 16
  /// Enough to tell it from what trials of one process differ by.
  package static let trialsOfProcess = 2

  package init(usableCores: Int, seed: Seed, processes: Int = Self.processes, seconds: Double = 0.15) {
    trials =
      TrialPlan(
        contestants: ["mutex", "lock-free"].compactMap { Contestant.named($0, for: .dictionary) },
        workloads: Workload.all(for: .dictionary).filter { $0.name == "mixed" },
        threads: [1, usableCores].withoutRepetitions, sizes: [StandardMatrix.size],
        trials: processes * Self.trialsOfProcess, forks: processes, seed: seed,
        warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: seconds), seconds: seconds
      ).specifications
  }

  package var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.estimatedSeconds } }

  /// Says how long it takes, makes the trials, writes them if they are wanted, and says what they show of
  /// the time an operation takes.
  package static func measure(
    _ environment: Measurements.Measurement.Environment, rows destination: OutputDestination?,
    processes: Int = Self.processes
  ) throws(CommandError) -> MachineNoise {
    var generator = SplitMix64.drawn()
    let run = NoiseRun(
      usableCores: Host.usableCores, seed: .random(using: &generator),
      processes: processes)
    Console.note(
      "A/A run: \(run.trials.count) trials of the same in \(processes) processes, about "
        + NumberText.duration(seconds: run.estimatedSeconds))
    let template = RowTemplate(
      run: RowTemplate.runName(at: .now, using: &generator), environment: environment)
    let rows = try run.rows(template)
    if let destination {
      try OutputFile(opening: destination).write(MeasurementCSV.text(of: rows))
      Console.note("\(destination.name) is written: \(rows.count) rows")
    }
    guard
      let noise = MachineNoise(
        of: rows, .nanosecondsPerOperation, drawingFrom: SplitMix64(seed: Seed.fixed))
    else { throw .failed("the A/A run does not tell the noise floor") }
    return noise
  }

  /// Makes the trials; the first that fails ends it.
  package func rows(_ template: RowTemplate) throws(CommandError) -> [Measurements.Measurement] {
    let forks = try Forks(for: trials)
    var rows: [Measurements.Measurement] = []
    for trial in trials {
      do {
        let result = try forks.run(trial)
        rows.append(template.measurement(number: rows.count + 1, trial, result, at: .now))
      } catch {
        throw CommandError(status: .found, description: "the A/A run failed: \(error)")
      }
    }
    return rows
  }
}
