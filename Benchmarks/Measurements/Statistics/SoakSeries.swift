/// The live bytes of one collection, sampled at the quiescent points of a soak.
public struct SoakSeries: Hashable, Sendable {
  /// One sample.
  public struct Sample: Hashable, Sendable {
    /// The time since the soak began.
    public let seconds: Double
    /// The number of operations since the soak began.
    public let operations: Int
    /// The change of the live bytes since the soak began; may be negative.
    public let liveBytes: Int

    /// Creates a sample.
    public init(seconds: Double, operations: Int, liveBytes: Int) {
      self.seconds = seconds
      self.operations = operations
      self.liveBytes = liveBytes
    }
  }

  /// The result of a soak.
  public enum Trend: String, Hashable, Sendable {
    /// Memory does not grow with the number of operations.
    case flat
    /// Memory grows with the number of operations.
    case growing
    /// There are too few samples.
    case undecided
  }

  /// The samples in chronological order.
  public private(set) var samples: [Sample] = []

  /// The fraction of the samples that is warm-up.
  ///
  /// During the warm-up, collections reach their final size, and the runtime and the allocator
  /// allocate their caches.
  public static let warmUpFraction = 0.2
  /// The number of samples after the warm-up that a trend needs.
  public static let samplesNeeded = 20
  /// The smallest reported growth after the warm-up, in bytes: one page.
  ///
  /// This and `leastGrowthPerSample` are more than the memory that taking the samples allocates.
  public static let leastGrowth = 4096.0
  /// The smallest reported growth per sample, in bytes: one cache line.
  public static let leastGrowthPerSample = 64.0
  /// The largest number of points from which the slope is computed.
  ///
  /// More points do not change the slope, and the cost is quadratic in their number.
  private static let mostPoints = 600

  /// Creates a series without samples.
  public init() {}

  /// Appends `sample`, which must be later than the others.
  public mutating func append(_ sample: Sample) {
    samples.append(sample)
  }

  /// The samples after the warm-up.
  public var counted: ArraySlice<Sample> {
    samples.dropFirst(Int((Double(samples.count) * Self.warmUpFraction).rounded(.up)))
  }

  /// The trend of the live bytes per operation, or `nil` for too few samples.
  public var bytesPerOperation: TheilSenSlope? {
    guard counted.count >= Self.samplesNeeded else { return nil }
    let step = (counted.count + Self.mostPoints - 1) / Self.mostPoints
    let points = stride(from: counted.startIndex, to: counted.endIndex, by: step).map {
      (x: Double(samples[$0].operations), y: Double(samples[$0].liveBytes))
    }
    return TheilSenSlope(of: points)
  }

  /// The trend: growing if the slope is significantly above 0 and the growth is large enough.
  public var trend: Trend {
    guard let slope = bytesPerOperation, let first = counted.first, let last = counted.last else {
      return .undecided
    }
    let growth = slope.slope * Double(last.operations - first.operations)
    let least = max(Self.leastGrowth, Self.leastGrowthPerSample * Double(counted.count))
    return slope.interval.lowerBound > 0 && growth >= least ? .growing : .flat
  }
}

/// The Theil–Sen estimator of a linear trend: the median of the slopes between all pairs of points.
///
/// Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950. The
/// interval is from Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968,
/// with the correction for ties. Unlike least squares, it assumes no normal errors and is robust
/// against outliers: live bytes change in steps, and a snapshot that is growing is not a leak.
public struct TheilSenSlope: Hashable, Sendable {
  /// The median slope.
  public let slope: Double
  /// The confidence interval of the slope at 99 %, if the errors of the points are independent.
  public let interval: ClosedRange<Double>

  /// The two-sided 99 % point of the normal distribution.
  private static let confidencePoint = 2.576

  /// Estimates the slope, or returns `nil` for fewer than three different `x`.
  ///
  /// - Parameter points: The points; traps if a coordinate is infinite or NaN.
  /// - Complexity: O(*n*² log *n*).
  public init?(of points: [(x: Double, y: Double)]) {
    for (x, y) in points {
      guard x.isFinite && y.isFinite else {
        fatalError("coordinates must be finite, got (\(x), \(y))")
      }
    }
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

  /// Returns the slopes in ascending order; a pair with equal `x` has none.
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

  /// Returns the standard deviation of Kendall's score under the hypothesis that there is no slope.
  private static func deviationOfScore(_ points: [(x: Double, y: Double)]) -> Double {
    func term(_ count: Int) -> Double {
      Double(count) * Double(count - 1) * Double(2 * count + 5)
    }
    let equals = Dictionary(grouping: points, by: \.y).values.map { term($0.count) }
    return ((term(points.count) - equals.reduce(0, +)) / 18).squareRoot()
  }
}
