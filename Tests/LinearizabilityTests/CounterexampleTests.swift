import Linearizability
import SeededTesting
import Testing

/// What is said about an illegal history.
@Suite struct CounterexampleTests {
  private typealias Model = KeyedModel<RegisterModel<Int>, Int>
  private typealias Recorded = Operation<Model.Input, Model.Output>

  private static func operation(
    _ call: UInt64, _ end: UInt64?, _ input: RegisterInput<Int>, _ output: RegisterOutput<Int>?,
    on key: Int = 1
  ) -> Recorded {
    Operation(worker: 0, call: call, return: end, input: .init(input, on: key), output: output)
  }

  private static let model = Model(RegisterModel())

  /// 4 reads what 3 had overwritten.
  private static let staleRead = History([
    operation(0, 1, .write(9), .written, on: 2),
    operation(0, 1, .read, .value(nil)),
    operation(2, 3, .write(1), .written),
    operation(4, 5, .write(2), .written),
    operation(6, 9, .read, .value(1)),
    operation(7, 8, .read, .value(2)),
    operation(8, nil, .compareAndSet(expected: 5, new: 6), nil),
    operation(10, 11, .write(3), .written),
  ])

  private static func counterexample(
    _ history: History<Model.Input, Model.Output>
  ) throws -> Counterexample<Model> {
    guard case .illegal(let found) = Checker(model).check(history) else {
      throw Unexpected()
    }
    return found
  }

  private struct Unexpected: Error {}

  @Test func `it names the part, how far an order goes, and what does not fit`() throws {
    let found = try Self.counterexample(Self.staleRead)
    #expect(found.partition.key == 1)
    #expect(found.operations == [1, 2, 3, 4, 5, 6, 7])
    #expect(found.prefix.map(\.operation) == [1, 2, 3, 5])
    #expect(found.prefix.map(\.stamp) == [1, 3, 5, 8])
    #expect(found.states == [nil, nil, 1, 2, 2])
    #expect(found.unplaceable == 4)
    #expect(found.candidates == [4, 6])
  }

  @Test func `its core is what cannot be left out`() throws {
    let found = try Self.counterexample(Self.staleRead)
    let core = Checker(Self.model).core(of: found, in: Self.staleRead)
    #expect(core.operations == [2, 3, 4])
    #expect(core.prefix.map(\.operation) == [2, 3])
    #expect(core.states == [nil, 1, 2])
    #expect(core.unplaceable == 4)
    #expect(core.candidates == [4])
  }

  @Test func `a core stays illegal whatever the others did`() {
    let histories = RandomHistory.registers(neverReturning: 10)
    let checker = Checker(histories.model)
    var shrunk = 0
    for seed in 0..<500 {
      var random = SeededGenerator(seed: UInt64(seed))
      let history = histories.history(&random, lies: 30)
      guard case .illegal(let found) = checker.check(history) else { continue }
      let core = checker.core(of: found, in: history)
      if core.operations.count < found.operations.count { shrunk += 1 }
      let kept = core.operations.map { history.operations[$0] }
      #expect(!BruteForce.isLinearizable(History(kept), histories.model), "seed \(seed)")
      let relaxed = found.operations.map { index in
        var operation = history.operations[index]
        guard !core.operations.contains(index) else { return operation }
        operation.return = nil
        operation.output = nil
        return operation
      }
      #expect(!BruteForce.isLinearizable(History(relaxed), histories.model), "seed \(seed)")
    }
    #expect(shrunk > 50)
  }

  @Test func `equal stamps order nothing`() {
    let history = History([
      Self.operation(0, 5, .write(1), .written), Self.operation(5, 6, .read, .value(nil)),
    ])
    #expect(Checker(Self.model).check(history).isLinearizable)
    let later = History([
      Self.operation(0, 5, .write(1), .written), Self.operation(6, 6, .read, .value(nil)),
    ])
    #expect(Checker(Self.model).check(later).isIllegal)
  }

  @Test func `an empty history is linearizable`() {
    #expect(Checker(Self.model).check(History([])).isLinearizable)
  }
}
