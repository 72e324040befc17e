import Benchmarking
import Charts
import Foundation
import Measurements
import Primitives
import Reporting
import SeededRandom
import TerminalIO
import WeakCollections
import Workloads

/// An A/A run: a dictionary behind a lock and a lock-free one, each in many processes that take
/// turns.
package struct NoiseRun {
  package let trials: [TrialSpecification]

  /// The number of processes, enough to estimate the difference between processes within about a
  /// third.
  package static let processes = 16
  /// The number of trials per process, enough to separate the variance within and between
  /// processes.
  package static let trialsOfProcess = 2

  package init(
    usableCores: Int, seed: Seed, processes: Int = Self.processes, seconds: Double = 0.15
  ) {
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

  /// Announces the duration, runs the trials, writes their rows, and returns the noise of the time
  /// per operation.
  ///
  /// - Parameters:
  ///   - environment: The environment for the rows.
  ///   - destination: The destination of the rows, or `nil` to discard them.
  ///   - processes: The number of processes.
  /// - Throws: `CommandError` if a trial fails, or the rows cannot be written.
  package static func measure(
    _ environment: Measurement.Environment, rows destination: OutputDestination?,
    processes: Int = Self.processes
  ) throws(CommandError) -> MachineNoise {
    var generator = SplitMix64.drawn()
    let run = NoiseRun(
      usableCores: Host.usableCores, seed: .random(using: &generator),
      processes: processes)
    Console.note(
      "A/A run: \(run.trials.count) trials of the same code in \(processes) processes, about "
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
    else {
      throw .failed(
        "the \(rows.count) trials of the A/A run do not determine the noise floor; repeat the run")
    }
    return noise
  }

  /// Runs the trials; the first failure ends the run.
  package func rows(_ template: RowTemplate) throws(CommandError) -> [Measurement] {
    let forks = try Forks(for: trials)
    var rows: [Measurement] = []
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

/// The file of an A/A run next to the rows that were measured with it: `rows.noise.csv` for
/// `rows.csv`.
///
/// It has ordinary rows. They are in a separate file, because among the others they would count as
/// results. A file of noise floors instead of rows would not cover other metrics and other numbers
/// of processes.
package enum NoiseFile {
  package static let ending = ".noise.csv"

  package static func path(beside rows: String) -> String {
    (rows.hasSuffix(".csv") ? String(rows.dropLast(4)) : rows) + ending
  }

  /// Returns the noise in the first existing file next to one of `paths`, if it comes from the same
  /// environment as `rows`.
  package static func noise(
    beside paths: [String], for rows: [Measurement], _ metric: MetricColumn
  ) throws(CommandError) -> MachineNoise? {
    let files = paths.map(path(beside:)).withoutRepetitions
    guard let file = files.first(where: FileManager.default.fileExists) else { return nil }
    let place = rows.first.map(Place.init)
    let trials = try ResultsFile.rows(in: file).filter { Place($0) == place }
    guard !trials.isEmpty else {
      Console.note(
        "\(file) is ignored: its machine, compiler, allocator or build differs from that of the rows"
      )
      return nil
    }
    return MachineNoise(of: trials, metric, drawingFrom: SplitMix64(seed: Seed.fixed))
  }

  /// The part of an environment that determines noise: everything but the commit.
  private struct Place: Equatable {
    let names: [String]
    let cores: Int

    init(_ row: Measurement) {
      let environment = row.environment
      names = [
        environment.machine, environment.swift, environment.mutexFlavor ?? "",
        environment.allocator, environment.buildConfiguration,
      ]
      cores = environment.cores
    }
  }
}

/// The noise floor of this machine as text.
package struct NoiseText: Sendable {
  package let noise: MachineNoise

  package init(_ noise: MachineNoise) { self.noise = noise }

  /// One cell of the table, for JSON.
  package struct Figure: Encodable, Sendable {
    package let threads: Int
    package let processes: Int
    package let floor: Double
    package let low: Double?
    package let high: Double?

    package init(_ level: MachineNoise.Level, processes: Int) {
      let side = MachineNoise.Level.Side(processes: processes, trials: processes)
      let interval = level.interval(side, side)
      threads = level.threads
      self.processes = processes
      floor = level.floor(side, side)
      low = interval?.lowerBound
      high = interval?.upperBound
    }

    /// The floor and its interval, such as "3.1 % (2.4–3.9)".
    package var text: String {
      func percent(_ part: Double) -> String { NumberText.fixed(part * 100, decimals: 1) }
      guard let low, let high else { return "\(percent(floor)) %" }
      return "\(percent(floor)) % (\(percent(low))–\(percent(high)))"
    }
  }

  /// The numbers of processes per side in the table, with one trial each.
  package static let processes = [1, 3, 10, 30]

  package var figures: [Figure] {
    noise.levels.flatMap { level in Self.processes.map { Figure(level, processes: $0) } }
  }

  package var text: String {
    let columns =
      [TextTable.Column(title: "NOISE FLOOR")]
      + Self.processes.map {
        TextTable.Column(title: $0 == 1 ? "1 process" : "\($0) processes", alignment: .right)
      }
    let rows = noise.levels.map { level in
      [level.threads == 1 ? "1 thread" : "\(level.threads) threads"]
        + Self.processes.map { Figure(level, processes: $0).text }
    }
    return (TextTable(columns: columns, rows: rows).lines + [legend]).joined(separator: "\n")
  }

  private var legend: String {
    let processes = noise.levels[0].processes
    return
      "In 95 of 100 comparisons of equal code, the ratio of the medians stays within the noise floor. "
      + "It depends on the\nnumber of processes per side (one trial each); in parentheses, its 95 % "
      + "interval. Measured with dictionaries\nin \(processes) processes. Smaller differences get no "
      + "verdict."
  }
}
