import Linearizability
import Testing

/// The checker and one that tries every order agree.
@Suite struct AgreementTests {
  private struct Tally {
    var linearizable = 0
    var illegal = 0
  }

  private static func compare<Model: SequentialModel>(
    _ histories: RandomHistory<Model>, count: Int, seed: UInt64
  ) -> Tally {
    var tally = Tally()
    let checker = Checker(histories.model)
    for number in 0..<count {
      var random = SplitMix64(seed: seed &+ UInt64(number))
      let history = histories.history(&random, lies: 20)
      let expected = BruteForce.isLinearizable(history, histories.model)
      let verdict = checker.check(history)
      #expect(verdict.isLinearizable == expected, "seed \(seed), number \(number)")
      #expect(verdict.isIllegal != expected, "seed \(seed), number \(number)")
      if expected { tally.linearizable += 1 } else { tally.illegal += 1 }
    }
    print(tally)
    return tally
  }

  @Test(arguments: [0, 20])
  func `registers`(neverReturning: Int) {
    let tally = Self.compare(
      .registers(neverReturning: neverReturning), count: 2500, seed: 1)
    #expect(min(tally.linearizable, tally.illegal) > 500)
  }
}
