import Foundation
import SeededRandom

/// Draws ranks from 1 to *n*, the rank *k* in proportion to 1 ÷ *k*^θ.
///
/// By rejection-inversion: Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", 1996. The continuous curve *x*^−θ is inverted, its result rounded
/// to a rank, and the little that the curve has above that rank's bar is rejected, so that the result is
/// exact for every θ above 0. YCSB draws the same distribution by the approximation of Gray and others,
/// "Quickly generating billion-record synthetic databases", 1994, which is exact for the first two
/// ranks alone, allows no θ from 1 on, and needs a sum over all ranks beforehand.
///
/// - Complexity: O(1) to make, and O(1) a draw: 1.1 tries on average, at most 1.3.
struct ZipfianRanks {
  private let count: Double
  private let theta: Double
  /// The curve's integral from 1, where a first rank begins that is as wide as its bar is high.
  private let begin: Double
  private let end: Double
  /// Up to so far from a rank on its left the bar covers the curve, whatever the rank.
  private let safeDistance: Double

  init(count: Int, theta: Double) {
    precondition(count > 0, "there is at least one rank")
    precondition(theta > 0, "theta is positive")
    self.count = Double(count)
    self.theta = theta
    begin = Self.integral(1.5, theta) - 1
    end = Self.integral(Double(count) + 0.5, theta)
    safeDistance = 2 - Self.inverse(Self.integral(2.5, theta) - Self.height(2, theta), theta)
  }

  func draw(using generator: inout SplitMix64) -> Int {
    while true {
      let area = end + generator.fraction() * (begin - end)
      let x = Self.inverse(area, theta)
      // Rounding may leave the range by one.
      let rank = min(max(x.rounded(), 1), count)
      if rank - x <= safeDistance { return Int(rank) }
      if area >= Self.integral(rank + 0.5, theta) - Self.height(rank, theta) { return Int(rank) }
    }
  }

  /// The curve's height.
  private static func height(_ x: Double, _ theta: Double) -> Double {
    exp(-theta * log(x))
  }

  /// The curve's integral from 1 to `x`: (x^(1−θ) − 1) ÷ (1 − θ), or log x where θ is 1.
  private static func integral(_ x: Double, _ theta: Double) -> Double {
    let logarithm = log(x)
    let exponent = (1 - theta) * logarithm
    return exponent == 0 ? logarithm : logarithm * expm1(exponent) / exponent
  }

  /// Where the integral has that value.
  private static func inverse(_ area: Double, _ theta: Double) -> Double {
    // Rounding may put it a little below −1, where there is no logarithm.
    let growth = max(-1, (1 - theta) * area)
    return growth == 0 ? exp(area) : exp(area * log1p(growth) / growth)
  }
}

extension SplitMix64 {
  /// From 0 up to, but not including, 1: each multiple of 2⁻⁵³ equally likely.
  mutating func fraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
