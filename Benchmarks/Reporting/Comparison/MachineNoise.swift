import Charts
import Foundation
import Measurements

/// By how much the same code differs on a machine, as an A/A run showed it: trials of the same contestants
/// by many processes.
///
/// What processes differ by and what trials of one differ by are told apart, since a row may have any
/// number of both. Logarithms are compared: noise is a part of what is measured.
package struct MachineNoise: Hashable, Sendable {
  /// What was seen at one number of threads, of the contestant that varies most there.
  package struct Level: Hashable, Sendable {
    package let threads: Int
    package let processes: Int
    package let trials: Int
    /// Of logarithms.
    let variance: VarianceComponents
    /// The same of processes drawn again, for the interval.
    let drawn: [VarianceComponents]
  }

  /// By threads; there is at least one.
  package let levels: [Level]

  /// `nil` if nothing was measured by so many processes, and more than once by one, that they tell.
  package init?(
    of rows: [Measurements.Measurement], _ metric: MetricColumn,
    _ bootstrap: Bootstrap = Bootstrap(),
    drawingFrom generator: some RandomNumberGenerator
  ) {
    var generator = generator
    var levels: [Int: Level] = [:]
    let series = Dictionary(grouping: rows, by: \.configuration)
    for configuration in rows.map(\.configuration).withoutRepetitions {
      guard
        let level = Level(series[configuration, default: []], metric, bootstrap, using: &generator)
      else { continue }
      if let known = levels[level.threads], known.total >= level.total { continue }
      levels[level.threads] = level
    }
    guard !levels.isEmpty else { return nil }
    self.levels = levels.values.sorted { $0.threads < $1.threads }
  }

  /// The level for rows of so many threads: that of the most threads measured which are not more.
  package func level(forThreads threads: Int) -> Level {
    levels.last { $0.threads <= threads } ?? levels[0]
  }
}

extension MachineNoise.Level {
  /// How many trials one side has, by how many processes.
  package struct Side: Hashable, Sendable {
    package var processes: Int
    package var trials: Int

    package init(processes: Int, trials: Int) {
      self.processes = processes
      self.trials = trials
    }

    /// What the series of `rows` with the fewest has of both; `nil` without any.
    package init?(leastOf rows: [Measurements.Measurement], _ metric: MetricColumn) {
      let series = Dictionary(grouping: rows, by: \.configuration).values
        .compactMap { ProcessValues($0, metric) }
      guard let processes = series.map(\.processes).min(), let trials = series.map(\.trials).min()
      else { return nil }
      self.init(processes: processes, trials: trials)
    }

    /// That part of them, and at least one.
    package func part(_ share: Double) -> Self {
      func part(_ count: Int) -> Int { max(1, Int(Double(count) * share)) }
      return Self(processes: part(processes), trials: part(trials))
    }
  }

  fileprivate init?(
    _ trials: [Measurements.Measurement], _ metric: MetricColumn, _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    guard
      let first = trials.first, let values = ProcessValues(trials, metric),
      values.hasManyProcesses, values.all.allSatisfy({ $0 > 0 })
    else { return nil }
    let logarithms = values.values.map { $0.map { log($0) } }
    guard let variance = VarianceComponents(ofProcesses: logarithms) else { return nil }
    threads = first.configuration.threads
    processes = values.processes
    self.trials = values.trials
    self.variance = variance
    drawn = (0..<bootstrap.resamples).compactMap { _ in
      let processes = logarithms.map { _ in logarithms.randomElement(using: &generator)! }
      return VarianceComponents(ofProcesses: processes)
    }
  }

  /// That of one trial of one process.
  fileprivate var total: Double { variance.within + variance.between }

  /// What the ratio of two medians of the same stays within, as a part, in about 95 of 100 comparisons.
  package func floor(_ one: Side, _ other: Side) -> Double { floor(one, other, variance) }

  /// Where the floor lies; `nil` if it cannot be told.
  package func interval(
    _ one: Side, _ other: Side, _ bootstrap: Bootstrap = Bootstrap()
  ) -> ClosedRange<Double>? {
    let floors = drawn.map { floor(one, other, $0) }
    let tail = (1 - bootstrap.confidence) / 2
    guard
      let lower = Statistics.quantile(tail, of: floors),
      let upper = Statistics.quantile(1 - tail, of: floors)
    else { return nil }
    return lower...max(lower, upper)
  }

  private func floor(_ one: Side, _ other: Side, _ variance: VarianceComponents) -> Double {
    let ofRatio = [one, other].reduce(0) { sum, side in
      sum + variance.between * NoiseFloor.varianceOfMedian(of: side.processes)
        + variance.within * NoiseFloor.varianceOfMedian(of: side.trials)
    }
    let point = NoiseFloor.studentPoint(exceededBy: 0.025, freedom: Double(processes - 1))
    return exp(point * ofRatio.squareRoot()) - 1
  }
}

extension ComparedSeries {
  var side: MachineNoise.Level.Side { .init(processes: processes, trials: trials) }
}
