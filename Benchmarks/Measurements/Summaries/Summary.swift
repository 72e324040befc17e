/// The repeated trials of one series, summarized.
public struct Summary: Hashable, Sendable {
  public let series: Series
  /// Of each trial, in the order given.
  public let nanosecondsPerOperation: [Double]
  public let medianNanosecondsPerOperation: Double
  /// The fastest trial.
  public let minNanosecondsPerOperation: Double
  /// The slowest trial.
  public let maxNanosecondsPerOperation: Double
  public let medianOperationsPerSecond: Double

  public var trials: Int { nanosecondsPerOperation.count }

  /// One summary for each series, in the order in which they first appear.
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

  /// `nil` without trials.
  private init?(series: Series, throughputs: [Measurement.Throughput]) {
    let times = throughputs.map(\.nanosecondsPerOperation)
    guard
      let median = Statistics.median(times), let min = times.min(), let max = times.max(),
      let rate = Statistics.median(throughputs.map(\.operationsPerSecond))
    else { return nil }
    self.series = series
    nanosecondsPerOperation = times
    medianNanosecondsPerOperation = median
    minNanosecondsPerOperation = min
    maxNanosecondsPerOperation = max
    medianOperationsPerSecond = rate
  }
}

/// What repeated trials have in common. Trials of one series are summarized together.
public struct Series: Hashable, Sendable {
  public var kind: Measurement.Kind
  public var environment: Measurement.Environment
  public var configuration: Measurement.Configuration

  public init(of measurement: Measurement) {
    kind = measurement.identity.kind
    environment = measurement.environment
    configuration = measurement.configuration
  }

  /// The same for every series that differs from this one in the backend alone.
  var contest: Series {
    var contest = self
    contest.configuration.backend = ""
    return contest
  }
}

/// Decides which backend is the best.
///
/// The leader is the one with the lowest median. It is marked best only if its worst trial beats
/// the best trial of everybody else, and both it and the runner-up had at least three trials.
/// Otherwise nobody is best, and the leader and all whose best trial is at most as slow as the
/// leader's worst are contenders.
public enum Ranking {
  public static let trialsNeeded = 3

  /// The mark of each name. Whoever has no trial has no mark, and who is alone has beaten nobody.
  ///
  /// - Precondition: names are unique, and no time is NaN.
  public static func marks(
    for entrants: [(name: String, nanosecondsPerOperation: [Double])]
  ) -> [String: Mark] {
    let marks = marks(for: entrants.map(\.nanosecondsPerOperation))
    return Dictionary(uniqueKeysWithValues: zip(entrants.map(\.name), marks))
  }

  /// The mark of each summary, in the same order.
  ///
  /// Only backends of ours compete, and only with those whose series differ in nothing else:
  /// another workload, machine or commit is another contest. In an open loop nobody is faster: all start
  /// as many operations as are due.
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

/// One who takes part in a contest, with at least one trial.
private struct Entrant {
  let position: Int
  let trials: Int
  let best: Double
  let worst: Double
  let median: Double

  /// Lower is further ahead; the position only breaks ties the same way each time.
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
  /// It is the fastest, beyond what the trials vary.
  case best
  /// It may be the fastest; the trials do not tell.
  case contender
  /// It is not the fastest, or was not compared.
  case none

  public var symbol: String {
    switch self {
    case .best: "★"
    case .contender: "≈"
    case .none: ""
    }
  }
}
