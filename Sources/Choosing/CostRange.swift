import Foundation

/// What several trials said of one cost: the middle one, and between which two the true middle lies.
///
/// The bounds are the innermost two trials between which the median of all trials that could be made lies
/// in three of four cases at least, whatever the distribution: the least and the greatest of up to five, the
/// second and the last but one of six, the third and the last but two of nine. Two costs whose ranges do not
/// overlap are so seldom equal that one may bet on it.
///
/// Source: W. R. Thompson, "On Confidence Ranges for the Median", Annals of Mathematical Statistics 7 (1936).
public struct CostRange: Hashable, Sendable, Codable {
  public var median: Double
  public var low: Double
  public var high: Double

  public init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// A cost that every trial said alike.
  public init(_ value: Double) {
    self.init(median: value, low: value, high: value)
  }

  /// Nil without values that are above 0 and finite: a cost of nothing has not been measured.
  init?(of values: [Double]) {
    let sorted = values.filter { $0 > 0 && $0.isFinite }.sorted()
    guard !sorted.isEmpty else { return nil }
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let outside = Self.trialsOutside(of: sorted.count)
    self.init(
      median: median, low: sorted[outside], high: sorted[sorted.count - 1 - outside])
  }

  /// How many of so many trials lie outside the range on each side.
  static func trialsOutside(of count: Int) -> Int {
    // That the true median is beyond the trial of rank k is to have no more than k trials on its side of it: a
    // fair coin's tails.
    let largestTail = (1 - 0.75) / 2
    var (outside, tail) = (-1, 0.0)
    while tail <= largestTail, outside < (count - 1) / 2 {
      outside += 1
      tail += probability(of: outside, among: count)
    }
    return max(0, tail <= largestTail ? outside : outside - 1)
  }

  /// That so many of `count` fair coins show heads.
  private static func probability(of heads: Int, among count: Int) -> Double {
    func logarithmOfFactorial(_ number: Int) -> Double { lgamma(Double(number) + 1) }
    return exp(
      logarithmOfFactorial(count) - logarithmOfFactorial(heads)
        - logarithmOfFactorial(count - heads) - Double(count) * log(2))
  }
}
