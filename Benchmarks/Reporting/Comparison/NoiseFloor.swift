import Charts
import Foundation
import Measurements

/// The noise floor: the fraction by which medians of the same code differ on one machine.
///
/// The trials of one process underestimate it, because its causes are the placement of memory and
/// other tenants of the machine.
package struct NoiseFloor: Hashable, Sendable {
  /// The origin of a noise floor.
  package enum Source: String, Sendable {
    /// An A/A run measured it.
    case measured
    /// It is an estimate from the differences between processes that measured the same series.
    case betweenProcesses = "between-processes"
  }

  /// The fraction: 0.03 is 3 %.
  package let part: Double
  package let source: Source

  /// The number of degrees of freedom that an estimate needs.
  static let differencesNeeded = 10

  package init(measured part: Double) {
    self.part = part
    source = .measured
  }

  /// Estimates the floor from the differences between processes, or returns `nil` if too few series
  /// have more than one process.
  ///
  /// In about 95 of 100 comparisons of equal code, all ratios are within the floor. The estimate
  /// pools the spread of processes around the mean of their series, over all series of both sides.
  /// It decreases with the number of processes, that of the row with the fewest.
  init?(estimatedFrom rows: [(base: ComparedSeries, candidate: ComparedSeries)]) {
    let series = rows.flatMap { [$0.base, $0.candidate] }.withoutRepetitions
      .map(\.mediansOfProcesses)
      .filter { $0.count > 1 && $0.allSatisfy { $0 > 0 } }
    let differences = series.reduce(0) { $0 + $1.count - 1 }
    guard differences >= Self.differencesNeeded,
      let inBase = rows.map(\.base.processes).min(),
      let inCandidate = rows.map(\.candidate.processes).min()
    else { return nil }
    let squares = series.reduce(0) { $0 + Self.squaredDeviations(of: $1.map { log($0) }) }
    let deviation = (squares / Double(differences)).squareRoot()
    let ofRatio =
      deviation
      * (Self.varianceOfMedian(of: inBase) + Self.varianceOfMedian(of: inCandidate))
      .squareRoot()
    let point = Self.studentPoint(
      exceededBy: 0.05 / Double(2 * rows.count), freedom: Double(differences))
    let part = exp(point * ofRatio) - 1
    guard part.isFinite else { return nil }
    self.part = part
    source = .betweenProcesses
  }

  /// Returns the variance of the median of `count` normal values, as a fraction of their variance.
  ///
  /// It equals the variance of the mean for one and two values, and is greater for more (David and
  /// Nagaraja, "Order Statistics", 2003).
  static func varianceOfMedian(of count: Int) -> Double {
    let known = [1, 0.5, 0.4487, 0.2982, 0.2868]
    return count <= known.count ? known[count - 1] : .pi / 2 / Double(count)
  }

  /// Returns the value that Student's *t* exceeds with the given probability.
  ///
  /// It is the normal quantile with the first terms of the Cornish–Fisher expansion (Fisher and
  /// Cornish, 1960).
  static func studentPoint(exceededBy probability: Double, freedom: Double) -> Double {
    let z = normalPoint(exceededBy: probability)
    let first = (z * z * z + z) / 4
    let second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96
    return z + first / freedom + second / (freedom * freedom)
  }

  /// Returns the value that a normal variable exceeds with the given probability, by bisection.
  private static func normalPoint(exceededBy probability: Double) -> Double {
    var (lower, upper) = (0.0, 40.0)
    for _ in 0..<60 {
      let middle = (lower + upper) / 2
      if erfc(middle / 2.0.squareRoot()) / 2 > probability {
        lower = middle
      } else {
        upper = middle
      }
    }
    return lower
  }

  private static func squaredDeviations(of values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(values.count)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}

/// The noise of a machine, from an A/A run: trials of the same contestants in many processes.
///
/// The variance between processes and the variance between trials of one process are separate,
/// because a row may have any number of both. They are variances of logarithms, because noise is
/// proportional to the measured value.
package struct MachineNoise: Hashable, Sendable {
  /// The noise at one number of threads, from the contestant that varies most there.
  package struct Level: Hashable, Sendable {
    package let threads: Int
    package let processes: Int
    package let trials: Int
    /// The variances of logarithms.
    let variance: VarianceComponents
    /// The variances in bootstrap samples of the processes, for the interval.
    let drawn: [VarianceComponents]
  }

  /// The levels in order of threads; there is at least one.
  package let levels: [Level]

  /// Estimates the noise from an A/A run, or returns `nil` if no series has enough processes with
  /// more than one trial.
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

  /// Returns the level for rows with `threads` threads: the one with the most threads that are not
  /// more.
  package func level(forThreads threads: Int) -> Level {
    levels.last { $0.threads <= threads } ?? levels[0]
  }

  /// Returns the floor for the row's numbers of processes and trials.
  func floor(of row: ComparedRow) -> NoiseFloor {
    let level = level(forThreads: row.configuration.threads)
    return NoiseFloor(measured: level.floor(row.base.side, row.candidate.side))
  }
}

extension MachineNoise.Level {
  /// The numbers of processes and trials of one side.
  package struct Side: Hashable, Sendable {
    package var processes: Int
    package var trials: Int

    package init(processes: Int, trials: Int) {
      self.processes = processes
      self.trials = trials
    }

    /// Takes the smallest numbers of all series in `rows`; returns `nil` if no row has the metric.
    package init?(leastOf rows: [Measurements.Measurement], _ metric: MetricColumn) {
      let series = Dictionary(grouping: rows, by: \.configuration).values
        .compactMap { ProcessValues($0, metric) }
      guard let processes = series.map(\.processes).min(), let trials = series.map(\.trials).min()
      else { return nil }
      self.init(processes: processes, trials: trials)
    }

    /// Returns the given fraction of both numbers, at least 1.
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

  /// The variance of one trial of one process.
  fileprivate var total: Double { variance.within + variance.between }

  /// Returns the fraction within which the ratio of two medians of equal code stays, in about 95 of
  /// 100 comparisons.
  package func floor(_ one: Side, _ other: Side) -> Double { floor(one, other, variance) }

  /// Returns the confidence interval of the floor, or `nil` without bootstrap samples.
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
