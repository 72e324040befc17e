/// Keeps many comparisons from finding by chance what a single one seldom would.
///
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979. If those with an adjusted
/// p-value of at most α are called different, the probability of even one false call among
/// all is at most α, however they depend on each other.
public enum HolmCorrection {
  /// The adjusted p-values, in the order given.
  ///
  /// - Precondition: all are from 0 to 1.
  public static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(pValues.allSatisfy((0...1).contains), "a p-value is from 0 to 1")
    var result = pValues
    var greatest = 0.0
    let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
    for (place, index) in order.enumerated() {
      greatest = max(greatest, min(1, Double(pValues.count - place) * pValues[index]))
      result[index] = greatest
    }
    return result
  }
}
