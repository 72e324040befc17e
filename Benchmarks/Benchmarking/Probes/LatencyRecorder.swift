import Histogram
import Measurements

/// The latencies of operations, to three digits, up to three hours.
struct LatencyRecorder: Sendable {
  private static let highest: UInt64 = 10_800_000_000_000
  private var histogram = Histogram<UInt32>(highestTrackableValue: Self.highest)

  mutating func record(_ nanoseconds: Int) {
    _ = histogram.record(min(UInt64(max(1, nanoseconds)), Self.highest))
  }

  mutating func add(_ other: LatencyRecorder) {
    histogram.add(other.histogram)
  }

  /// The percentiles, each of them only from at least ten samples beyond it.
  var latency: Measurement.Latency {
    Measurement.Latency(
      samples: Int(histogram.totalCount), clockNanoseconds: Clock.costNanoseconds,
      p50Nanoseconds: percentile(50), p90Nanoseconds: percentile(90),
      p99Nanoseconds: percentile(99), p999Nanoseconds: percentile(99.9),
      maxNanoseconds: histogram.totalCount == 0 ? nil : Double(histogram.max))
  }

  /// The same, and further out.
  var percentiles: Measurement.Percentiles {
    let latency = latency
    return Measurement.Percentiles(
      p50Nanoseconds: latency.p50Nanoseconds, p90Nanoseconds: latency.p90Nanoseconds,
      p99Nanoseconds: latency.p99Nanoseconds, p999Nanoseconds: latency.p999Nanoseconds,
      p9999Nanoseconds: percentile(99.99), maxNanoseconds: latency.maxNanoseconds)
  }

  var count: Int { Int(histogram.totalCount) }

  /// HdrHistogram's percentile distribution, in nanoseconds.
  var distributionText: String {
    var text = ""
    histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
    return text
  }

  private func percentile(_ percent: Double) -> Double? {
    let beyond = Double(histogram.totalCount) * (100 - percent) / 100
    // Of exactly ten some are lost in rounding.
    return beyond >= 10 - 1e-6 ? Double(histogram.valueAtPercentile(percent)) : nil
  }
}

/// All that a trial recorded of one kind of latency.
public struct LatencyDistribution: Codable, Hashable, Sendable {
  /// `service`, from start to end, or `intended`, from when an operation was due.
  public let name: String
  /// How many latencies there are.
  public let count: Int
  /// As HdrHistogram's tools read it: a line for each percentile, ever denser towards the end, in
  /// nanoseconds.
  public let text: String

  init(_ name: String, _ recorder: LatencyRecorder) {
    self.name = name
    count = recorder.count
    text = recorder.distributionText
  }
}
