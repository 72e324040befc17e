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
