import Histogram
import Measurements

/// The latencies of sampled operations, to three digits, up to ten seconds.
struct LatencyRecorder: Sendable {
  private static let highest: UInt64 = 10_000_000_000
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

  private func percentile(_ percent: Double) -> Double? {
    let beyond = Double(histogram.totalCount) * (100 - percent) / 100
    return beyond >= 9.999 ? Double(histogram.valueAtPercentile(percent)) : nil
  }
}
