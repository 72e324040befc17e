#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Student's *t* distribution.
///
/// Student, "The Probable Error of a Mean", 1908. Its tails come from the incomplete beta function,
/// which is computed with the continued fraction of Didonato and Morris (Algorithm 708, 1992) by
/// Lentz's method.
public struct StudentDistribution: Hashable, Sendable {
  /// The degrees of freedom; not necessarily a whole number.
  public let freedom: Double

  /// Creates a distribution; traps unless `freedom` is positive and finite.
  public init(freedom: Double) {
    guard freedom > 0 && freedom.isFinite else {
      fatalError("degrees of freedom must be positive and finite, got \(freedom)")
    }
    self.freedom = freedom
  }

  /// Returns the probability of a value farther from 0 than `t`, in either direction.
  public func probability(beyond t: Double) -> Double {
    guard t != 0 else { return 1 }
    return Self.incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5)
  }

  /// Returns the value *t* for which −*t* to *t* has the probability `confidence`.
  ///
  /// Traps unless `confidence` is between 0 and 1.
  public func bound(ofConfidence confidence: Double) -> Double {
    guard confidence > 0 && confidence < 1 else {
      fatalError("confidence must be between 0 and 1, got \(confidence)")
    }
    var (lower, upper) = (0.0, 1.0)
    while probability(beyond: upper) > 1 - confidence { upper *= 2 }
    // Bisects until no number lies between the two bounds.
    while true {
      let middle = (lower + upper) / 2
      guard lower < middle, middle < upper else { return upper }
      if probability(beyond: middle) > 1 - confidence { lower = middle } else { upper = middle }
    }
  }

  /// The regularized incomplete beta function.
  private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let logOfFactor = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
    // The fraction converges fast on this side of the mean; the other side is the complement.
    return x < (a + 1) / (a + b + 2)
      ? exp(logOfFactor) * continuedFraction(x, a, b) / a
      : 1 - exp(logOfFactor) * continuedFraction(1 - x, b, a) / b
  }

  private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    // A denominator of 0 would end the recurrence.
    func nonzero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var c = 1.0
    var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
    var result = d
    for index in 1...10_000 {
      let m = Double(index)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / nonzero(1 + even * d)
      c = nonzero(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / nonzero(1 + odd * d)
      c = nonzero(1 + odd / c)
      result *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return result
  }
}
