import CShims

/// Words that nobody outside this process can predict, at the cost of a few instructions each.
///
/// Under a managed scheduler always the same, so that a schedule can be repeated.
public enum Secret {
  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()
  private static let count = Atomic<UInt64>(0)

  public static func next() -> UInt {
    let golden: UInt64 = 0x9e37_79b9_7f4a_7c15
    if let fixed = ManagedScheduler.ask({ _ in golden }) { return UInt(truncatingIfNeeded: fixed) }
    // Relaxed: a count, through which nothing else is read.
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return UInt(truncatingIfNeeded: mixed(seed &+ number &* golden))
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
  private static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}
