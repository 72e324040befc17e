/// How far apart two samples are, whatever the units.
///
/// Cliff, "Dominance statistics: Ordinal analyses to answer ordinal questions", 1993. Vargha and
/// Delaney's A is half of it and a half; this one has the sign of the change.
public enum CliffsDelta {
  /// 1 if every value of the first is greater than every one of the second, −1 if it is smaller,
  /// 0 if neither tends to be; `nil` if a sample is empty.
  public static func of(_ first: [Double], over second: [Double]) -> Double? {
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let balance = first.reduce(0) { total, value in
      total + second.reduce(0) { $0 + (value > $1 ? 1 : value < $1 ? -1 : 0) }
    }
    return Double(balance) / Double(first.count * second.count)
  }
}
