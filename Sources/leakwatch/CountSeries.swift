/// How many instances of one class lived when, in bounded memory: once there are many samples, every
/// second one is left out.
struct CountSeries: Equatable, Sendable {
  struct Sample: Equatable, Sendable {
    var seconds: Double
    var count: Int
  }

  static let capacity = 512

  private(set) var samples: [Sample] = []
  /// How many samples become one, and how many of those are still to come for the last one.
  private var stride = 1
  private var missing = 0

  var last: Int? { samples.last?.count }

  /// A sample that comes late is taken as if it came with the last.
  mutating func append(_ count: Int, at seconds: Double) {
    let sample = Sample(seconds: max(seconds, samples.last?.seconds ?? 0), count: count)
    // The newest is always the last.
    if missing > 0 {
      samples[samples.count - 1] = sample
      missing -= 1
    } else {
      samples.append(sample)
      missing = stride - 1
    }
    guard samples.count > Self.capacity else { return }
    samples = samples.indices.filter { $0.isMultiple(of: 2) }.map { samples[$0] }
    stride *= 2
    missing = stride - 1
  }
}
