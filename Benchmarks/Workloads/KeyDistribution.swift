/// How often each key is drawn.
public enum KeyDistribution: String, CaseIterable, Sendable {
  /// Every key equally often.
  case uniform

  /// A sequence of keys from 0 to `range - 1`, drawn before the clock starts.
  ///
  /// All workers of a trial draw from the same range, each with a seed of its own: keys of one's own
  /// would remove the very contention that is measured.
  ///
  /// - Complexity: O(`count`), eight bytes a key.
  public func keys(count: Int, range: Int, seed: Seed) -> [Int] {
    precondition(count >= 0, "the number of keys is not negative")
    precondition(range > 0, "there must be at least one key to draw")
    var generator = SplitMix64(seed: seed)
    switch self {
    case .uniform:
      return (0..<count).map { _ in generator.number(below: range) }
    }
  }
}
