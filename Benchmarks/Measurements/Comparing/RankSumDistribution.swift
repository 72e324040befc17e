/// In how many ways so many of the ranks come to each sum: what a rank sum may be if both samples are
/// drawn from the same.
struct RankSumDistribution {
  /// By sum; a Double holds the binomial coefficients that occur here exactly.
  private let ways: [Double]

  /// Counted by taking the ranks one after the other, each chosen or not.
  ///
  /// - Complexity: O(*n* × `chosen` × sum of the ranks).
  init(ofChoosing chosen: Int, from ranks: [Int]) {
    let greatest = ranks.sorted().suffix(chosen).reduce(0, +)
    let width = greatest + 1
    // One row after the other: ways[count * width + sum].
    var ways = [Double](repeating: 0, count: (chosen + 1) * width)
    ways[0] = 1
    for (taken, rank) in ranks.enumerated() {
      for count in stride(from: min(taken + 1, chosen), to: 0, by: -1) {
        for sum in stride(from: greatest, through: rank, by: -1) {
          ways[count * width + sum] += ways[(count - 1) * width + sum - rank]
        }
      }
    }
    self.ways = Array(ways[(chosen * width)...])
  }

  /// How probable a sum at least as far from the middle is, on either side.
  func probability(atLeastAsFarAs sum: Int, fromTwiceTheMiddle middle: Int) -> Double {
    let distance = abs(2 * sum - middle)
    let far = ways.indices.reduce(0) { total, other in
      abs(2 * other - middle) >= distance ? total + ways[other] : total
    }
    return far / ways.reduce(0, +)
  }
}
