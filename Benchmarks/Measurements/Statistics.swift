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
