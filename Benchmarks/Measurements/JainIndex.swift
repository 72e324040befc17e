/// How evenly work fell to several workers.
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
