/// Order statistics of a few repeated trials.
public enum Statistics {
  /// The middle value, or the mean of the two middle ones; `nil` for no values.
  public static func median(_ values: [Double]) -> Double? {
    quantile(0.5, of: values)
  }

  /// The value below which the given part of the values lies; `nil` for no values.
  ///
  /// Between two values it interpolates linearly (type 7 of Hyndman and Fan, the default of R and
  /// NumPy).
  ///
  /// - Precondition: `part` is from 0 to 1, and no value is NaN.
  public static func quantile(_ part: Double, of values: [Double]) -> Double? {
    precondition((0...1).contains(part), "a quantile is for a part from 0 to 1")
    precondition(!values.contains(where: \.isNaN), "NaN has no place in an order")
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let rank = part * Double(sorted.count - 1)
    let lower = Int(rank)
    let upper = min(lower + 1, sorted.count - 1)
    let fraction = rank - Double(lower)
    // Without this, equal values may differ in the last digit.
    guard fraction > 0, sorted[lower] != sorted[upper] else { return sorted[lower] }
    return sorted[lower] * (1 - fraction) + sorted[upper] * fraction
  }
}

/// How many times one quantity is another, where either may be 0.
public enum Ratio {
  /// 1 if both are 0, as nothing has changed then; infinite if only the denominator is.
  ///
  /// - Precondition: neither is NaN or negative.
  public static func of(_ numerator: Double, to denominator: Double) -> Double {
    precondition(numerator >= 0 && denominator >= 0, "a ratio is of quantities from 0")
    return numerator == denominator ? 1 : numerator / denominator
  }
}

/// How evenly work is distributed over several workers.
///
/// Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination", 1984.
public enum JainIndex {
  /// 1 if all did the same, 1/*n* if one of *n* did everything; `nil` if nobody did anything.
  public static func of(_ amounts: [Double]) -> Double? {
    let sum = amounts.reduce(0, +)
    let squares = amounts.reduce(0) { $0 + $1 * $1 }
    guard squares > 0 else { return nil }
    // Rounding may give a little more than 1.
    return min(1, sum * sum / (Double(amounts.count) * squares))
  }
}

/// The variance of trials within the processes that made them, and the variance between processes.
///
/// The analysis of variance for one random effect, with as many trials a process as there are: Searle,
/// Casella and McCulloch, "Variance Components", 1992, 3.6. Its estimate of what lies between may come out below
/// nothing, and is nothing then, as is usual.
public struct VarianceComponents: Hashable, Sendable {
  /// Of trials around the mean of their process.
  public let within: Double
  /// Of the processes' true means around theirs.
  public let between: Double

  /// `nil` if the trials do not tell the two apart: with one process, or one trial in each.
  ///
  /// - Precondition: no process is without trials.
  public init?(ofProcesses processes: [[Double]]) {
    let count = Double(processes.reduce(0) { $0 + $1.count })
    let groups = Double(processes.count)
    guard groups > 1, count > groups else { return nil }
    precondition(processes.allSatisfy { !$0.isEmpty }, "a process made at least one trial")
    let means = processes.map { $0.reduce(0, +) / Double($0.count) }
    let mean = processes.joined().reduce(0, +) / count
    var (insideSquares, outsideSquares, squaredCounts) = (0.0, 0.0, 0.0)
    for (values, own) in zip(processes, means) {
      insideSquares += values.reduce(0) { $0 + ($1 - own) * ($1 - own) }
      outsideSquares += Double(values.count) * (own - mean) * (own - mean)
      squaredCounts += Double(values.count * values.count)
    }
    within = insideSquares / (count - groups)
    // How many trials a process has, as far as the mean square between is concerned.
    let size = (count - squaredCounts / count) / (groups - 1)
    between = max(0, (outsideSquares / (groups - 1) - within) / size)
  }
}
