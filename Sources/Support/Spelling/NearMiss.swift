/// Suggests names for a mistyped one.
package enum NearMiss {
  /// The allowed names nearest to `name`, nearest first, at most three; empty if none is near.
  ///
  /// Near is at most one slip (a letter missing, added, changed, or two swapped) for every three
  /// letters of `name`, or a `name` that is the beginning of the allowed one. Case does not count.
  /// Names that take two slips more than the nearest are left out.
  package static func suggestions(for name: String, among allowed: [String]) -> [String] {
    let typed = Array(name.lowercased())
    guard !typed.isEmpty else { return [] }
    let tolerance = max(1, typed.count / 3)
    let near = allowed.enumerated().compactMap { position, candidate in
      rank(of: Array(candidate.lowercased()), typed: typed, tolerance: tolerance).map {
        (rank: $0, position: position, candidate: candidate)
      }
    }
    guard let nearest = near.map(\.rank).min() else { return [] }
    return near.filter { $0.rank <= nearest + 1 }
      .sorted { ($0.rank, $0.position) < ($1.rank, $1.position) }
      .prefix(3)
      .map(\.candidate)
  }

  /// The number of slips between the two, or `nil` if `candidate` is not near.
  private static func rank(of candidate: [Character], typed: [Character], tolerance: Int) -> Int? {
    let slips = distance(from: typed, to: candidate)
    if slips <= tolerance { return slips }
    // A single letter begins too many names to say anything.
    return typed.count > 1 && candidate.starts(with: typed) ? tolerance + 1 : nil
  }

  /// The optimal string alignment distance: insertions, deletions, substitutions and swaps of
  /// adjacent letters, none touching what another has touched.
  ///
  /// - Complexity: O(*n* × *m*).
  static func distance(from source: [Character], to target: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in source.indices {
      var current = [row + 1]
      for column in target.indices {
        let substitution = last[column] + (source[row] == target[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, current[column] + 1)
        let isSwap =
          row > 0 && column > 0
          && source[row] == target[column - 1] && source[row - 1] == target[column]
        if isSwap { best = min(best, beforeLast[column - 1] + 1) }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[target.count]
  }
}
