extension OperationMix {
  /// The mean of several mixes in whole percents, which sum to 100; a share is 0 only if it is in all.
  ///
  /// - Precondition: there is at least one, and weights are positive.
  static func mean(of mixes: [(mix: OperationMix, weight: Int)]) -> OperationMix {
    precondition(!mixes.isEmpty && mixes.allSatisfy { $0.weight > 0 }, "weights are positive")
    let total = Double(mixes.reduce(0) { $0 + $1.weight })
    let exact = OperationKind.allCases.map { kind in
      mixes.reduce(0) { $0 + Double($1.mix.share(of: kind) * $1.weight) } / total
    }
    var whole = exact.map { $0 > 0 ? max(1, Int($0)) : 0 }
    while whole.reduce(0, +) != 100 {
      let isTooLittle = whole.reduce(0, +) < 100
      // Whoever is furthest from what it should be.
      let candidates = whole.indices.filter { isTooLittle ? exact[$0] > 0 : whole[$0] > 1 }
      let errors = candidates.map { (isTooLittle ? 1 : -1) * (exact[$0] - Double(whole[$0])) }
      let place = zip(candidates, errors).max { $0.1 < $1.1 }!.0
      whole[place] += isTooLittle ? 1 : -1
    }
    return .shares(
      read: whole[0], insert: whole[1], update: whole[2], remove: whole[3], iterate: whole[4])
  }
}
