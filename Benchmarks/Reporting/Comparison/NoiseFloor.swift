import Charts
import Foundation
import Measurements

/// The fraction by which medians of the same code differ on one machine. Trials of one process do not show it:
/// it comes from the placement of memory and from other tenants of the machine.
package struct NoiseFloor: Hashable, Sendable {
  package enum Source: String, Sendable {
    /// An A/A run showed it.
    case measured
    /// The processes that measured the same series differ by it.
    case betweenProcesses = "between-processes"
  }

  /// As a part: 0.03 is 3 %.
  package let part: Double
  package let source: Source

  /// How many differences from a mean an estimate must rest on.
  static let differencesNeeded = 10

  package init(measured part: Double) {
    self.part = part
    source = .measured
  }

  /// What the ratios of equal series stay within, all of them in about 95 of 100 comparisons, from the spread of
  /// processes around the mean of their series, all series and both sides together; `nil` if too few were
  /// measured by more than one.
  ///
  /// It shrinks with the processes that take part: of the row that has the fewest.
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

  /// That of the median of so many normal values, in parts of theirs: the mean's for two, and from three on
  /// more (David and Nagaraja, "Order Statistics", 2003).
  static func varianceOfMedian(of count: Int) -> Double {
    let known = [1, 0.5, 0.4487, 0.2982, 0.2868]
    return count <= known.count ? known[count - 1] : .pi / 2 / Double(count)
  }

  /// Above which Student's *t* is with this probability, from the normal point by the first terms of its
  /// expansion (Fisher and Cornish, 1960).
  static func studentPoint(exceededBy probability: Double, freedom: Double) -> Double {
    let z = normalPoint(exceededBy: probability)
    let first = (z * z * z + z) / 4
    let second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96
    return z + first / freedom + second / (freedom * freedom)
  }

  /// Above which a normal variable is with this probability, by halving where it may be.
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
/// The variance between processes and the variance between trials of one process are separate, because a row
/// may have any number of both. They are variances of logarithms, because noise is proportional to what is
/// measured.
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

  /// The floor for as many processes and trials as the row has.
  func floor(of row: ComparedRow) -> NoiseFloor {
    let level = level(forThreads: row.configuration.threads)
    return NoiseFloor(measured: level.floor(row.base.side, row.candidate.side))
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
