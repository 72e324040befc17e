/// Between which two measured values a value lies, by their places in ascending order.
struct GridBracket: Hashable, Sendable {
  var lower: Int
  var upper: Int
  /// How far it is from the lower to the upper, from 0 to 1.
  var part: Double
  /// How far it lies beyond the last, or before the first, then below 0.
  var excess: Double

  /// The bracket of a single value, from which another is `excess` away.
  init(only place: Int, excess: Double = 0) {
    (lower, upper, part, self.excess) = (place, place, 0, excess)
  }

  /// The bracket of `value` among `count` values in ascending order. It never lies outside them: what does is
  /// told by `excess`.
  init(of value: Double, among count: Int, at values: (Int) -> Double) {
    if value <= values(0) {
      self.init(only: 0, excess: value - values(0))
      return
    }
    var upper = 1
    while upper < count, values(upper) < value { upper += 1 }
    guard upper < count else {
      self.init(only: count - 1, excess: value - values(count - 1))
      return
    }
    self.init(only: upper)
    guard value < values(upper) else { return }
    lower = upper - 1
    part = (value - values(lower)) / (values(upper) - values(lower))
  }
}
