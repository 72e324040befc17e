/// A small seeded generator: the same seed gives the same numbers on every machine.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. Good enough to
/// draw workloads with; not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound - 1`, each equally likely.
  ///
  /// The standard library does not promise to draw the same in its next version, and a seed in an
  /// old CSV row should still mean the same trial, so this and `shuffle` are spelled out here.
  public mutating func number(below bound: Int) -> Int {
    precondition(bound > 0, "the bound must be positive")
    let bound = UInt64(bound)
    var product = next().multipliedFullWidth(by: bound)
    // Lemire's method: the lowest (2^64 mod bound) fractions would favour some results.
    let threshold = (0 &- bound) % bound
    while product.low < threshold {
      product = next().multipliedFullWidth(by: bound)
    }
    return Int(product.high)
  }

  /// Puts `elements` in an order where each permutation is equally likely.
  public mutating func shuffle<Element>(_ elements: inout [Element]) {
    for last in elements.indices.dropFirst().reversed() {
      elements.swapAt(last, number(below: last + 1))
    }
  }
}
