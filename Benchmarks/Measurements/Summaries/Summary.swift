/// A summary of the repeated trials of one series.
public struct Summary: Hashable, Sendable {
  /// The series.
  public let series: Series
  /// The time per operation of each trial, in the given order.
  public let nanosecondsPerOperation: [Double]
  /// The median time per operation.
  public let medianNanosecondsPerOperation: Double
  /// The time per operation of the fastest trial.
  public let minNanosecondsPerOperation: Double
  /// The time per operation of the slowest trial.
  public let maxNanosecondsPerOperation: Double
  /// The throughput at the median time per operation.
  public let medianOperationsPerSecond: Double

  /// The number of trials.
  public var trials: Int { nanosecondsPerOperation.count }

  /// Whether the slowest trial took more than twice as long as the fastest one.
  public var isScattered: Bool { maxNanosecondsPerOperation > 2 * minNanosecondsPerOperation }

  /// The symbol that tables print beside a scattered series; empty for the others.
  public var scatterSymbol: String { isScattered ? "~" : "" }

  /// Returns one summary per series, in the order in which the series first appear.
  public static func summaries(of measurements: [Measurement]) -> [Summary] {
    var order: [Series] = []
    var trials: [Series: [Measurement]] = [:]
    for measurement in measurements {
      let series = Series(of: measurement)
      if trials[series] == nil { order.append(series) }
      trials[series, default: []].append(measurement)
    }
    return order.compactMap { series in
      Summary(series: series, throughputs: trials[series, default: []].map(\.throughput))
    }
  }

  /// Summarizes `throughputs`, or returns `nil` if there are none.
  private init?(series: Series, throughputs: [Measurement.Throughput]) {
    let times = throughputs.map(\.nanosecondsPerOperation)
    guard
      let median = Statistics.median(times), let min = times.min(), let max = times.max(),
      let rate = Statistics.medianRate(of: throughputs.map(\.operationsPerSecond))
    else { return nil }
    self.series = series
    nanosecondsPerOperation = times
    medianNanosecondsPerOperation = median
    minNanosecondsPerOperation = min
    maxNanosecondsPerOperation = max
    medianOperationsPerSecond = rate
  }
}

/// The common properties of repeated trials; trials of one series are summarized together.
public struct Series: Hashable, Sendable {
  /// The kind of contestant.
  public var kind: Measurement.Kind
  /// The machine, the toolchain and the commit.
  public var environment: Measurement.Environment
  /// The experiment.
  public var configuration: Measurement.Configuration

  /// Creates the series that `measurement` belongs to.
  public init(of measurement: Measurement) {
    kind = measurement.identity.kind
    environment = measurement.environment
    configuration = measurement.configuration
  }

  /// The series without its backend: equal for all series that compete with each other.
  var contest: Series {
    var contest = self
    contest.configuration.backend = ""
    return contest
  }
}

/// The rule that decides which backend is the fastest.
///
/// The leader is the backend with the lowest median. It is marked best only if its worst trial
/// beats the best trial of every other backend, and both it and the runner-up have at least three
/// trials. Otherwise no backend is best, and the contenders are the leader and every backend whose
/// best trial is at most as slow as the leader's worst.
public enum Ranking {
  /// The number of trials that the leader and the runner-up need.
  public static let trialsNeeded = 3

  /// Returns the mark of each entrant, by name.
  ///
  /// An entrant without trials has no mark, and neither has an entrant without competitors.
  ///
  /// - Parameter entrants: Unique names with the times of their trials; traps if a name repeats or
  ///   a time is NaN.
  public static func marks(
    for entrants: [(name: String, nanosecondsPerOperation: [Double])]
  ) -> [String: Mark] {
    let marks = marks(for: entrants.map(\.nanosecondsPerOperation))
    return Dictionary(uniqueKeysWithValues: zip(entrants.map(\.name), marks))
  }

  /// Returns the mark of each summary, in the same order.
  ///
  /// Only backends of this package compete, and only if their series differ in nothing else:
  /// another workload, machine or commit is another contest. An open loop has no ranking, because
  /// every backend starts the same number of operations.
  public static func marks(for summaries: [Summary]) -> [Mark] {
    var result = Array(repeating: Mark.none, count: summaries.count)
    let subjects = summaries.indices.filter {
      let series = summaries[$0].series
      return series.kind == .subject && series.configuration.pace.mode == .closed
    }
    for contest in Dictionary(grouping: subjects, by: { summaries[$0].series.contest }).values {
      let marks = marks(for: contest.map { summaries[$0].nanosecondsPerOperation })
      for (index, mark) in zip(contest, marks) { result[index] = mark }
    }
    return result
  }

  private static func marks(for times: [[Double]]) -> [Mark] {
    let entrants = times.enumerated().compactMap { Entrant(position: $0, times: $1) }
    var result = Array(repeating: Mark.none, count: times.count)
    guard
      entrants.count > 1, let leader = entrants.min(by: { $0.standing < $1.standing }),
      let runnerUp = entrants.filter({ $0.position != leader.position })
        .min(by: { ($0.best, $0.trials) < ($1.best, $1.trials) })
    else { return result }

    let isEnough = min(leader.trials, runnerUp.trials) >= trialsNeeded
    if isEnough && leader.worst < runnerUp.best {
      result[leader.position] = .best
    } else {
      for entrant in entrants where entrant.best <= leader.worst {
        result[entrant.position] = .contender
      }
    }
    return result
  }
}

/// A participant in a contest, with at least one trial.
private struct Entrant {
  let position: Int
  let trials: Int
  let best: Double
  let worst: Double
  let median: Double

  /// The sort key, lower is better; the position only makes ties deterministic.
  var standing: (Double, Double, Int) { (median, worst, position) }

  init?(position: Int, times: [Double]) {
    guard let best = times.min(), let worst = times.max(), let median = Statistics.median(times)
    else { return nil }
    (self.position, self.best, self.worst, self.median) = (position, best, worst, median)
    trials = times.count
  }
}

/// The mark of a backend in a table of a comparison.
public enum Mark: Hashable, Sendable {
  /// The backend is the fastest, by more than the trials vary.
  case best
  /// The backend may be the fastest; the trials are inconclusive.
  case contender
  /// The backend is not the fastest, or was not compared.
  case none

  /// The symbol that tables print.
  public var symbol: String {
    switch self {
    case .best: "★"
    case .contender: "≈"
    case .none: ""
    }
  }
}
