import Histogram
import Measurements

/// A histogram of operation latencies of up to three hours, with three significant digits.
struct LatencyRecorder: Sendable {
  private static let highest: UInt64 = 10_800_000_000_000
  private var histogram = Histogram<UInt32>(highestTrackableValue: Self.highest)

  mutating func record(_ nanoseconds: Int) {
    _ = histogram.record(min(UInt64(max(1, nanoseconds)), Self.highest))
  }

  mutating func add(_ other: LatencyRecorder) {
    histogram.add(other.histogram)
  }

  /// The percentiles; a percentile with fewer than ten samples beyond it is `nil`.
  var latency: Measurement.Latency {
    Measurement.Latency(
      samples: Int(histogram.totalCount), clockNanoseconds: Clock.costNanoseconds,
      p50Nanoseconds: percentile(50), p90Nanoseconds: percentile(90),
      p99Nanoseconds: percentile(99), p999Nanoseconds: percentile(99.9),
      maxNanoseconds: histogram.totalCount == 0 ? nil : Double(histogram.max))
  }

  /// The percentiles of `latency`, and in addition the 99.99th.
  var percentiles: Measurement.Percentiles {
    let latency = latency
    return Measurement.Percentiles(
      p50Nanoseconds: latency.p50Nanoseconds, p90Nanoseconds: latency.p90Nanoseconds,
      p99Nanoseconds: latency.p99Nanoseconds, p999Nanoseconds: latency.p999Nanoseconds,
      p9999Nanoseconds: percentile(99.99), maxNanoseconds: latency.maxNanoseconds)
  }

  var count: Int { Int(histogram.totalCount) }

  /// The percentile distribution in HdrHistogram's text format, in nanoseconds.
  var distributionText: String {
    var text = ""
    histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
    return text
  }

  private func percentile(_ percent: Double) -> Double? {
    let beyond = Double(histogram.totalCount) * (100 - percent) / 100
    // The tolerance covers rounding errors when exactly ten samples lie beyond.
    return beyond >= 10 - 1e-6 ? Double(histogram.valueAtPercentile(percent)) : nil
  }
}

/// The full distribution of one kind of latency in a trial.
public struct LatencyDistribution: Codable, Hashable, Sendable {
  /// The kind: `service`, from start to end, or `intended`, from when an operation was due.
  public let name: String
  /// The number of latencies.
  public let count: Int
  /// The distribution in the format of HdrHistogram's tools, in nanoseconds.
  ///
  /// It has one line per percentile; the percentiles become denser towards 100 %.
  public let text: String

  init(_ name: String, _ recorder: LatencyRecorder) {
    self.name = name
    count = recorder.count
    text = recorder.distributionText
  }
}
