/// The live bytes of one collection, sampled at the quiescent points of a soak.
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

/// A linear trend: the median of the slopes between all pairs of points.
///
/// Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950; the interval
/// is that of Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968, with his
/// correction for equal values. Unlike least squares it neither believes in a normal error nor in a
/// few wild points: live bytes come in steps, and a snapshot that was growing is not a leak.
public struct TheilSenSlope: Hashable, Sendable {
  public let slope: Double
  /// Where the slope lies with 99 % confidence, if the points err independently of each other.
  public let interval: ClosedRange<Double>

  /// The two-sided 99 % point of the normal distribution.
  private static let confidencePoint = 2.576

  /// `nil` for fewer than three different `x`.
  ///
  /// - Precondition: all values are finite.
  /// - Complexity: O(*n*² log *n*).
  public init?(of points: [(x: Double, y: Double)]) {
    precondition(points.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "points are finite")
    guard Set(points.map(\.x)).count >= 3 else { return nil }
    let slopes = Self.slopes(between: points)
    let half = Self.confidencePoint * Self.deviationOfScore(points) / 2
    let middle = Double(slopes.count - 1) / 2
    let lower = max(0, Int((middle - half).rounded(.down)))
    let upper = min(slopes.count - 1, Int((middle + half).rounded(.up)))
    guard let median = Statistics.quantile(0.5, of: slopes) else { return nil }
    slope = median
    interval = slopes[lower]...slopes[upper]
  }

  /// In ascending order; points above each other have none.
  private static func slopes(between points: [(x: Double, y: Double)]) -> [Double] {
    var slopes: [Double] = []
    slopes.reserveCapacity(points.count * (points.count - 1) / 2)
    for (index, first) in points.enumerated() {
      for second in points[(index + 1)...] where first.x != second.x {
        slopes.append((second.y - first.y) / (second.x - first.x))
      }
    }
    return slopes.sorted()
  }

  /// The standard deviation of Kendall's score when there is no slope.
  private static func deviationOfScore(_ points: [(x: Double, y: Double)]) -> Double {
    func term(_ count: Int) -> Double {
      Double(count) * Double(count - 1) * Double(2 * count + 5)
    }
    let equals = Dictionary(grouping: points, by: \.y).values.map { term($0.count) }
    return ((term(points.count) - equals.reduce(0, +)) / 18).squareRoot()
  }
}
