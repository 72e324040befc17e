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
