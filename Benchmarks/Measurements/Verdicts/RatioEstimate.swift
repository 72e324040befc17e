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
/// The method is that of Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", 2013: the
/// interval comes from the level of repetition at the top, here the sessions, and the trials of a
/// session only make its own figure more exact. Each session counts as one value, its figure, so an
/// interval is as wide as sessions differ, however many trials they have.
///
/// Times are compared by their logarithms: noise is proportional to the time, and the ratio *a*/*b*
/// is then as far from 1 as *b*/*a*.
///
/// - If both series have values of the same two or more sessions, the estimate is the mean of the
///   differences within these sessions (paired *t* interval). What slows a whole session down
///   affects both sides, and cancels.
/// - If they share at most one session, but have two or more each, it is the difference of the
///   means (Welch's *t* interval, "The generalization of Student's problem", 1947).
/// - Otherwise a side has one session, and nothing shows how sessions differ. There is an interval
///   only if both sides have that session; it comes from the trials, and holds in that session
///   only.
public struct RatioEstimate: Hashable, Sendable {
  /// The range of conditions to which an estimate applies.
  public enum Scope: Hashable, Sendable {
    /// Sessions like the measured ones; `count` is the number of shared sessions or, without two
    /// of these, the number of the side with fewer.
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
  ///   - numerator: The series above the line.
  ///   - denominator: The series below the line.
  ///   - confidence: The probability with which the interval has the true ratio.
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
        // Of the session that both have, if there is one.
        sides.map { side in shared.first.flatMap { side.values[$0] } ?? side.all }
      }
    precondition(
      values.joined().allSatisfy { $0 >= 0 && $0.isFinite },
      "values must be finite and at least 0, got \(values)")
    // Trials of different sessions differ by the sessions too, of which nothing is known.
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

  /// The ratio of values of which some are 0, such as allocated bytes: they have no logarithms. It
  /// is clear if all values of a side are 0 and none of the other, or all of both.
  private static func ofZeros(_ values: [[Double]]) -> (ratio: Double, isClear: Bool) {
    let ratio = Ratio.of(Statistics.median(values[0])!, to: Statistics.median(values[1])!)
    let isClear = values.allSatisfy { side in
      side.count >= valuesWithoutSpread
        && (side.allSatisfy { $0 == 0 } || side.allSatisfy { $0 > 0 })
    }
    return (ratio, isClear)
  }

  /// The number of values that each side needs if no spread is seen, as with counts and coarse
  /// clocks.
  ///
  /// Under one common distribution, three values of one kind against three of another have a
  /// probability of at most 1/64, below the error of an interval of 95 % on one side, 1/40.
  fileprivate static let valuesWithoutSpread = 3
}

/// The mean of differences, with its standard error.
private struct MeanSpread {
  let mean: Double
  /// The number of values of the side with fewer.
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
