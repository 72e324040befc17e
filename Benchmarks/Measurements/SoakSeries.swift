/// What the allocator held for one collection, each time the collection stood still in a soak.
public struct SoakSeries: Hashable, Sendable {
  public struct Sample: Hashable, Sendable {
    /// Since the soak began.
    public let seconds: Double
    public let operations: Int
    /// More or less than at the beginning.
    public let liveBytes: Int

    public init(seconds: Double, operations: Int, liveBytes: Int) {
      self.seconds = seconds
      self.operations = operations
      self.liveBytes = liveBytes
    }
  }

  public enum Verdict: String, Hashable, Sendable {
    case flat
    case growing
    /// There are too few samples to tell.
    case undecided
  }

  /// In the order of time.
  public private(set) var samples: [Sample] = []

  /// What the first part of a soak is for: collections reach the size at which they stay, and the
  /// runtime and the allocator make what they keep.
  public static let warmUpPart = 0.2
  public static let samplesNeeded = 20
  /// The growth after the warm-up that is worth a word: a page, and a cache line for each sample. What
  /// the reading of a sample itself leaves to the next one is less.
  public static let leastGrowth = 4096.0
  public static let leastGrowthPerSample = 64.0
  /// Slopes are between pairs; so many points say as much as more of them.
  private static let mostPoints = 600

  public init() {}

  public mutating func append(_ sample: Sample) {
    samples.append(sample)
  }

  /// The samples after the warm-up.
  public var counted: ArraySlice<Sample> {
    samples.dropFirst(Int((Double(samples.count) * Self.warmUpPart).rounded(.up)))
  }

  /// Live bytes that an operation leaves behind; `nil` for too few samples.
  public var bytesPerOperation: TheilSenSlope? {
    guard counted.count >= Self.samplesNeeded else { return nil }
    let step = (counted.count + Self.mostPoints - 1) / Self.mostPoints
    let points = stride(from: counted.startIndex, to: counted.endIndex, by: step).map {
      (x: Double(samples[$0].operations), y: Double(samples[$0].liveBytes))
    }
    return TheilSenSlope(of: points)
  }

  /// Growing, if that is beyond doubt and comes to enough.
  public var verdict: Verdict {
    guard let slope = bytesPerOperation, let first = counted.first, let last = counted.last else {
      return .undecided
    }
    let growth = slope.slope * Double(last.operations - first.operations)
    let least = max(Self.leastGrowth, Self.leastGrowthPerSample * Double(counted.count))
    return slope.interval.lowerBound > 0 && growth >= least ? .growing : .flat
  }
}
