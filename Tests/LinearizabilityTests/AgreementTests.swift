import Linearizability
import SeededTesting
import Testing

/// On 10,000 small histories the checker agrees with one that tries every order.
@Suite struct AgreementTests {
  /// A quarter of the 10,000 for each model, half of them with operations that never return.
  private static let count = 1250

  private struct Tally: CustomStringConvertible {
    var linearizable = 0
    var illegal = 0

    var description: String { "\(linearizable) linearizable, \(illegal) illegal" }
  }

  private static func compare<Model: SequentialModel>(
    _ histories: RandomHistory<Model>, lies: Int
  ) {
    var tally = Tally()
    let checker = Checker(histories.model)
    for seed in 0..<count {
      var random = SeededGenerator(seed: UInt64(seed))
      let history = histories.history(&random, lies: lies)
      let expected = BruteForce.isLinearizable(history, histories.model)
      switch checker.check(history) {
      case .linearizable(let points):
        #expect(expected, "seed \(seed)")
        #expect(Replay.explains(points, history, histories.model), "seed \(seed)")
      case .illegal: #expect(!expected, "seed \(seed)")
      case .unknown: Issue.record("there is no limit")
      }
      if expected { tally.linearizable += 1 } else { tally.illegal += 1 }
    }
    print("\(Model.self), \(histories.neverReturning) in 100 never return: \(tally)")
    #expect(min(tally.linearizable, tally.illegal) >= count / 5, "\(tally)")
  }

  @Test(arguments: [0, 20])
  func `about registers`(neverReturning: Int) {
    Self.compare(.registers(neverReturning: neverReturning), lies: 20)
  }

  @Test(arguments: [0, 20])
  func `about dictionaries`(neverReturning: Int) {
    Self.compare(.dictionaries(neverReturning: neverReturning), lies: 30)
  }

  @Test(arguments: [0, 20])
  func `about weak arrays, whose elements die`(neverReturning: Int) {
    Self.compare(.weakArrays(neverReturning: neverReturning), lies: 35)
  }

  @Test(arguments: [0, 20])
  func `about registers that lose writes, a nondeterministic model`(neverReturning: Int) {
    Self.compare(.lossyRegisters(neverReturning: neverReturning), lies: 30)
  }

  @Test(arguments: [0, 20])
  func `a history in which nobody lies is linearizable`(neverReturning: Int) {
    let histories = RandomHistory.dictionaries(neverReturning: neverReturning)
    for seed in 0..<1000 {
      var random = SeededGenerator(seed: UInt64(seed))
      let history = histories.history(&random, lies: 0)
      #expect(Checker(histories.model).check(history).isLinearizable, "seed \(seed)")
    }
  }
}
