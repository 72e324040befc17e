#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// An estimate of the ratio of two series, with a confidence interval.
///
/// The method is that of Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", 2013. The
/// interval comes from the highest level of repetition, here the sessions. Each session counts as
/// one value, its figure, and its trials only make that figure more exact. The width of the
/// interval therefore reflects how much sessions differ, however many trials they have.
///
/// Times are compared by their logarithms, because noise is proportional to the time. The ratio
/// *a*/*b* is then also as far from 1 as *b*/*a*.
///
/// - If both series have values of the same two or more sessions, the estimate is the mean of the
///   differences within these sessions (paired *t* interval). A slowdown of a whole session affects
///   both sides, and cancels.
/// - If they share at most one session, but have two or more each, it is the difference of the
///   means (Welch's *t* interval, "The generalization of Student's problem", 1947).
/// - Otherwise a side has only one session, and nothing shows how much sessions differ. There is an
///   interval only if both sides have that session. It comes from the trials, and applies to that
///   session only.
public struct RatioEstimate: Hashable, Sendable {
  /// The range of conditions to which an estimate applies.
  public enum Scope: Hashable, Sendable {
    /// Sessions like the measured ones. `count` is the number of shared sessions or, if they are
    /// fewer than two, the number of sessions of the side with fewer.
    case sessions(count: Int)
    /// Only the measured session. Another one may well show another ratio.
    case oneSession
  }

  /// The ratio: the first series divided by the second. Infinite if the second is 0.
  public let ratio: Double
  /// The confidence interval of the ratio; `nil` if there are too few values.
  public let interval: ClosedRange<Double>?
  /// The range of conditions to which the estimate applies.
  public let scope: Scope
  /// Whether the sides were compared session by session.
  public let isPaired: Bool

  /// Estimates `numerator` ÷ `denominator`.
  ///
  /// Traps if a value is negative, infinite or NaN.
  ///
  /// - Parameters:
  ///   - numerator: The series to divide.
  ///   - denominator: The series to divide by.
  ///   - confidence: The probability with which the interval contains the true ratio.
  /// - Complexity: O(*n* log *n*).
  public init(
    of numerator: SessionValues, to denominator: SessionValues, confidence: Double = 0.95
  ) {
    let shared = numerator.sessions.filter { denominator.values[$0] != nil }
    let sides = [numerator, denominator]
    isPaired = shared.count > 1
    let sessions = isPaired ? shared.count : sides.map(\.sessions.count).min() ?? 0
    let isGeneral = sessions > 1
    scope = isGeneral ? .sessions(count: sessions) : .oneSession

    let values: [[Double]] =
      if isPaired {
        sides.map { side in shared.compactMap { side.figure(of: $0) } }
      } else if isGeneral {
        sides.map(\.figures)
      } else {
        // The trials of the shared session, if there is one.
        sides.map { side in shared.first.flatMap { side.values[$0] } ?? side.all }
      }
    guard (values.joined().allSatisfy { $0 >= 0 && $0.isFinite }) else {
      fatalError("values must be finite and at least 0, got \(values)")
    }
    // Trials of different sessions also differ by an unknown effect of their sessions.
    let isComparable = isGeneral || !shared.isEmpty
    guard values.joined().allSatisfy({ $0 > 0 }) else {
      let (ratio, isClear) = Self.ofZeros(values)
      self.ratio = ratio
      interval = isClear && isComparable ? ratio...ratio : nil
      return
    }
    let logarithms = values.map { $0.map { log($0) } }
    let spread =
      isPaired
      ? MeanSpread(ofPairs: logarithms[0], logarithms[1])
      : MeanSpread(of: logarithms[0], minus: logarithms[1])
    ratio = exp(spread.mean)
    interval = (isComparable ? spread.halfWidth(confidence: confidence) : nil).map {
      exp(spread.mean - $0)...exp(spread.mean + $0)
    }
  }

  /// Returns the ratio of the medians if some values are 0 and have no logarithm, such as allocated
  /// bytes.
  ///
  /// The ratio is clear if each side has enough values, and these are all 0 or all positive.
  private static func ofZeros(_ values: [[Double]]) -> (ratio: Double, isClear: Bool) {
    let ratio = Ratio.of(Statistics.median(values[0])!, to: Statistics.median(values[1])!)
    let isClear = values.allSatisfy { side in
      side.count >= valuesWithoutSpread
        && (side.allSatisfy { $0 == 0 } || side.allSatisfy { $0 > 0 })
    }
    return (ratio, isClear)
  }

  /// The number of values that each side needs for an interval if they show no spread, as with
  /// counts and coarse clocks.
  ///
  /// If both sides have the same distribution, the probability of three values of one kind against
  /// three of another kind is at most 1/64. This is below 1/40, the error of a 95 % interval on one
  /// side.
  fileprivate static let valuesWithoutSpread = 3
}

/// The mean of differences, with its standard error.
private struct MeanSpread {
  let mean: Double
  /// The number of values on the side with fewer.
  private let count: Int
  /// The standard error of the mean, and its degrees of freedom; `nil` if a side has one value.
  private let error: (size: Double, freedom: Double)?

  /// The mean of the differences of pairs.
  init(ofPairs first: [Double], _ second: [Double]) {
    let side = Moments(zip(first, second).map { $0 - $1 })
    mean = side.mean
    count = side.count
    error = side.squaredError.map { ($0.squareRoot(), Double(side.count - 1)) }
  }

  /// The difference of two means, with the degrees of freedom of Welch and Satterthwaite.
  init(of first: [Double], minus second: [Double]) {
    let sides = [Moments(first), Moments(second)]
    mean = sides[0].mean - sides[1].mean
    count = min(sides[0].count, sides[1].count)
    guard let one = sides[0].squaredError, let other = sides[1].squaredError else {
      error = nil
      return
    }
    let sum = one + other
    let freedom =
      sum * sum
      / (one * one / Double(sides[0].count - 1) + other * other / Double(sides[1].count - 1))
    error = (sum.squareRoot(), sum > 0 ? freedom : 1)
  }

  func halfWidth(confidence: Double) -> Double? {
    guard let error else { return nil }
    // Equal differences of logarithms may still differ by rounding.
    guard error.size > 1e-9 else { return count < RatioEstimate.valuesWithoutSpread ? nil : 0 }
    return StudentDistribution(freedom: error.freedom).bound(ofConfidence: confidence) * error.size
  }
}

/// The mean of values, and the square of its standard error.
private struct Moments {
  let count: Int
  let mean: Double
  /// `nil` for one value.
  let squaredError: Double?

  init(_ values: [Double]) {
    count = values.count
    let mean = values.reduce(0, +) / Double(values.count)
    self.mean = mean
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    squaredError = count > 1 ? squares / Double((count - 1) * count) : nil
  }
}
