/// A small seeded random number generator: a seed gives the same numbers on every machine.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. It suits
/// workloads and tests, not cryptography.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Generators with equal seeds return equal sequences.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number, uniform over all values of `UInt64`.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to `bound - 1`, each equally likely.
  ///
  /// The standard library may draw other numbers from the same generator in its next version. A
  /// seed in an old CSV row must keep its meaning, so this type implements `number(below:)` and
  /// `shuffle(_:)` itself.
  ///
  /// - Precondition: `bound` is positive.
  public mutating func number(below bound: Int) -> Int {
    guard bound > 0 else { fatalError("bound must be positive, got \(bound)") }
    let bound = UInt64(bound)
    var product = next().multipliedFullWidth(by: bound)
    // Lemire's method: the lowest (2^64 mod bound) fractions would favor some results.
    let threshold = (0 &- bound) % bound
    while product.low < threshold {
      product = next().multipliedFullWidth(by: bound)
    }
    return Int(product.high)
  }

  /// Shuffles `elements`; each permutation is equally likely.
  ///
  /// - Complexity: O(*n*).
  public mutating func shuffle<Element>(_ elements: inout [Element]) {
    for last in elements.indices.dropFirst().reversed() {
      elements.swapAt(last, number(below: last + 1))
    }
  }
}
