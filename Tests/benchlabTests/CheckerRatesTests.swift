import TerminalIO
import ProgramTesting
import ArgumentParser
import Linearizability
import Testing

@testable import benchlab

/// What the checker's rates are measured on.
@Suite struct CheckerRatesTests {
  private static let simulated = SimulatedHistory(workers: 4, operationsPerWorker: 25, keys: 3)

  @Test func `a seed gives the same history, and another seed another`() {
    let history = Self.simulated.history(seed: 1)
    #expect(Self.simulated.history(seed: 1).operations == history.operations)
    #expect(Self.simulated.history(seed: 2).operations != history.operations)
  }

  @Test func `simulated workers overlap, and their history is linearizable`() {
    for seed in 0..<50 {
      let history = Self.simulated.history(seed: UInt64(seed))
      #expect(history.operations.count == 100)
      let neighbours = zip(history.operations, history.operations.dropFirst())
      #expect(neighbours.contains { $1.call < $0.return ?? .max })
      #expect(Checker(SimulatedHistory.model).check(history).isLinearizable)
    }
  }

  @Test func `a rate is shown beside the required one`() {
    let rate = MeasuredRate(
      name: "x", unit: "histories/s", perSecond: 300_000, requiredPerSecond: 100_000)
    #expect(RateTable.lines([rate]).last?.hasSuffix("300k      100k  3.00x  histories/s") == true)
  }

  @Test(arguments: [["nothing"], ["checker", "--rounds", "4"]])
  func `other parts and too few rounds are refused`(arguments: [String]) throws {
    let command = try RatesCommand.parse(arguments)
    #expect(try commandError { try command.run() }.status == .usage)
  }
}
