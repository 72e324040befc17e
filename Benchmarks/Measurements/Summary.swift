/// The repeated trials of one series in a few numbers.
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
