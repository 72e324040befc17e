#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Order statistics of a few repeated trials, and the geometric mean of ratios.
public enum Statistics {
  /// Returns the middle value, or the mean of the two middle ones; `nil` for no values.
  ///
  /// Traps if a value is NaN.
  public static func median(_ values: [Double]) -> Double? {
    quantile(0.5, of: values)
  }

  /// Returns the median of rates: the rate at the median time; `nil` for no rates.
  ///
  /// For an even number of rates it is the harmonic mean of the two middle ones, so that it agrees
  /// with the median of the times per operation of the same trials.
  ///
  /// Traps if a rate is NaN.
  public static func medianRate(of rates: [Double]) -> Double? {
    let middle = median(rates)
    guard middle != nil, rates.count.isMultiple(of: 2) else { return middle }
    let sorted = rates.sorted()
    let (lower, upper) = (sorted[sorted.count / 2 - 1], sorted[sorted.count / 2])
    guard lower > 0, lower < upper else { return lower }
    return 2 / (1 / lower + 1 / upper)
  }

  /// Returns the geometric mean; `nil` for no values, or if one is 0, infinite or NaN.
  public static func geometricMean(_ values: [Double]) -> Double? {
    let logarithms = values.map { log($0) }
    guard !logarithms.isEmpty, logarithms.allSatisfy(\.isFinite) else { return nil }
    return exp(logarithms.reduce(0, +) / Double(logarithms.count))
  }

  /// Returns the value below which the given fraction of the values lies; `nil` for no values.
  ///
  /// Between two values it interpolates linearly (type 7 of Hyndman and Fan, the default of R and
  /// NumPy).
  ///
  /// - Parameters:
  ///   - part: The fraction, from 0 to 1; any other traps.
  ///   - values: The values in any order; traps if one is NaN.
  public static func quantile(_ part: Double, of values: [Double]) -> Double? {
    guard (0...1).contains(part) else {
      fatalError("the fraction of a quantile must be 0 to 1, got \(part)")
    }
    guard !values.contains(where: \.isNaN) else {
      fatalError("the values contain NaN; remove it first")
    }
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let rank = part * Double(sorted.count - 1)
    let lower = Int(rank)
    let upper = min(lower + 1, sorted.count - 1)
    let fraction = rank - Double(lower)
    // Interpolation between equal values may round to another value.
    guard fraction > 0, sorted[lower] != sorted[upper] else { return sorted[lower] }
    return sorted[lower] * (1 - fraction) + sorted[upper] * fraction
  }
}

/// The ratio of two quantities, either of which may be 0.
public enum Ratio {
  /// Returns `numerator` ÷ `denominator`: 1 if both are 0, because nothing has changed, and
  /// infinity if only the denominator is 0.
  ///
  /// Traps if either is NaN or negative.
  public static func of(_ numerator: Double, to denominator: Double) -> Double {
    guard numerator >= 0 && denominator >= 0 else {
      fatalError("both sides of a ratio must be at least 0, got \(numerator) and \(denominator)")
    }
    return numerator == denominator ? 1 : numerator / denominator
  }
}

/// Jain's fairness index: how evenly work is distributed over several workers.
///
/// Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination", 1984.
public enum JainIndex {
  /// Returns the index of the amounts of work done by each worker.
  ///
  /// - Returns: 1 if all amounts are equal, 1/*n* if one of *n* workers did everything, and `nil`
  ///   if every amount is 0.
  public static func of(_ amounts: [Double]) -> Double? {
    let sum = amounts.reduce(0, +)
    let squares = amounts.reduce(0) { $0 + $1 * $1 }
    guard squares > 0 else { return nil }
    // Rounding may give slightly more than 1.
    return min(1, sum * sum / (Double(amounts.count) * squares))
  }
}

/// The variance of trials within sessions, and the variance between sessions.
///
/// The estimate is the analysis of variance for one random effect with unequal group sizes: Searle,
/// Casella and McCulloch, "Variance Components", 1992, 3.6. A negative estimate of the variance
/// between sessions is reported as 0, as is usual.
public struct VarianceComponents: Hashable, Sendable {
  /// The variance of trials around the mean of their session.
  public let within: Double
  /// The variance of the sessions' true means around their common mean.
  public let between: Double

  /// Estimates both variances, or returns `nil` if the trials cannot separate them: there is only
  /// one session, or each session has one trial.
  ///
  /// - Parameter sessions: The values of each session; traps if one is empty, unless the result is
  ///   `nil`.
  public init?(ofSessions sessions: [[Double]]) {
    let count = Double(sessions.reduce(0) { $0 + $1.count })
    let groups = Double(sessions.count)
    guard groups > 1, count > groups else { return nil }
    guard (sessions.allSatisfy { !$0.isEmpty }) else {
      fatalError("session \(sessions.firstIndex(of: []) ?? 0) has no trials; leave it out")
    }
    let means = sessions.map { $0.reduce(0, +) / Double($0.count) }
    let mean = sessions.joined().reduce(0, +) / count
    var (insideSquares, outsideSquares, squaredCounts) = (0.0, 0.0, 0.0)
    for (values, own) in zip(sessions, means) {
      insideSquares += values.reduce(0) { $0 + ($1 - own) * ($1 - own) }
      outsideSquares += Double(values.count) * (own - mean) * (own - mean)
      squaredCounts += Double(values.count * values.count)
    }
    within = insideSquares / (count - groups)
    // The effective number of trials per session in the mean square between sessions.
    let size = (count - squaredCounts / count) / (groups - 1)
    between = max(0, (outsideSquares / (groups - 1) - within) / size)
  }
}
