/// How a quantity changes with another, by the median of the slopes between all pairs of points.
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
