/// Suggests names for a mistyped one.
package enum NearMiss {
  /// Returns at most three allowed names near `name`, the nearest first; an empty array if none is
  /// near.
  ///
  /// An allowed name is near if it has at most one typing error for every three letters of `name`,
  /// or if it begins with `name`. A typing error is a missing, added or changed letter, or two
  /// swapped letters. Case does not count. The result omits names that need two more errors than
  /// the nearest.
  ///
  /// - Complexity: O(*n* × *m*²) for *n* allowed names of *m* letters.
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

  /// Returns the number of typing errors between the two names, or `nil` if `candidate` is not
  /// near.
  private static func rank(of candidate: [Character], typed: [Character], tolerance: Int) -> Int? {
    let slips = distance(from: typed, to: candidate)
    if slips <= tolerance { return slips }
    // Too many names begin with the same single letter.
    return typed.count > 1 && candidate.starts(with: typed) ? tolerance + 1 : nil
  }

  /// Returns the optimal string alignment distance: the number of insertions, deletions,
  /// substitutions and swaps of adjacent letters, where no letter takes part in two of them.
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
