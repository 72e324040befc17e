import Testing
import WeakCollections

@testable import StressTesting

/// For each operation a history that is legal beside one that is not.
@Suite struct DictionaryCheckTests {
  private func verdict(
    _ operations: [Seen], atRest pairs: [(Int, [Int])] = [], isFenced: Bool = true
  ) throws -> Violation.Kind? {
    try StressTestingTests.verdict(
      .dictionary, operations,
      atRest: .pairs(pairs.map { Answer.Pair(key: $0.0, list: $0.1) }), isFenced: isFenced)
  }

  @Test func `get sees the last set, or one under way`() throws {
    let set = Seen("s0-1", 0...9)
    #expect(try verdict([set, Seen("g0", 2...3, .value(nil))], atRest: [(0, [1])]) == nil)
    #expect(try verdict([set, Seen("g0", 2...3, .value([1]))], atRest: [(0, [1])]) == nil)
    #expect(
      try verdict([set, Seen("g0", 10...11, .value(nil))], atRest: [(0, [1])]) == .notLinearizable)
  }

  @Test func `each key of a batch is read on its own, during the call`() throws {
    // The batch reads keys 0, 1 and 0 again.
    let sets = [Seen("s0-1", 0...9, by: 1), Seen("s1-2", 20...21)]
    let rest = [(0, [1]), (1, [2])]
    func verdict(_ values: [[Int]?], _ interval: ClosedRange<UInt64>) throws -> Violation.Kind? {
      try self.verdict(sets + [Seen("v0", interval, .values(values))], atRest: rest)
    }
    #expect(try verdict([nil, nil, [1]], 2...3) == nil)
    #expect(try verdict([[1], nil, nil], 2...3) == nil)
    #expect(try verdict([nil, nil, nil], 10...11) == .notLinearizable)
    #expect(try verdict([[1], [2], [1]], 10...11) == .notLinearizable)
    #expect(try verdict([[1], [2], [1]], 22...23) == nil)
    #expect(try verdict([[2], [1], [2]], 22...23) == .notLinearizable)
  }

  @Test func `a loser of get or insert gets the winner's value`() throws {
    let winner = Seen("i0-1", 0...9, .value([1]))
    #expect(
      try verdict([winner, Seen("i0-2", 1...8, .value([1]), by: 1)], atRest: [(0, [1])]) == nil)
    #expect(
      try verdict([winner, Seen("i0-2", 1...8, .value([2]), by: 1)], atRest: [(0, [1])])
        == .notLinearizable)
  }

  @Test func `nobody gets a value that was never offered`() throws {
    #expect(
      try verdict([Seen("g0", 0...1, .value([7])), Seen("s0-1", 0...1)], atRest: [(0, [1])])
        == .notLinearizable)
  }

  @Test func `no update is lost`() throws {
    let first = Seen("u0-1", 0...9, .value(nil))
    #expect(
      try verdict([first, Seen("u0-2", 1...8, .value([1]), by: 1)], atRest: [(0, [1, 2])]) == nil)
    #expect(
      try verdict([first, Seen("u0-2", 1...8, .value(nil), by: 1)], atRest: [(0, [2])])
        == .notLinearizable)
    #expect(
      try verdict([first, Seen("u0-2", 1...8, .value([1]), by: 1)], atRest: [(0, [2])])
        == .notLinearizable)
  }

  @Test func `one of two removes gets the value`() throws {
    let before = [Seen("s0-1", 0...1), Seen("r0", 2...9, .value([1]))]
    #expect(try verdict(before + [Seen("r0", 3...8, .value(nil), by: 1)]) == nil)
    #expect(
      try verdict(before + [Seen("r0", 3...8, .value([1]), by: 1)]) == .notLinearizable)
  }

  @Test func `a snapshot has what was there throughout, and not what was not`() throws {
    let before = [Seen("s0-1", 0...1), Seen("s1-2", 0...20, by: 1)]
    let rest = [(0, [1]), (1, [2])]
    func snapshot(_ pairs: [(Int, [Int])]) -> Seen {
      Seen("a", 5...6, .pairs(pairs.map { Answer.Pair(key: $0.0, list: $0.1) }))
    }
    #expect(try verdict(before + [snapshot([(0, [1])])], atRest: rest) == nil)
    #expect(try verdict(before + [snapshot([(0, [1]), (1, [2])])], atRest: rest) == nil)
    #expect(try verdict(before + [snapshot([(1, [2])])], atRest: rest) == .notLinearizable)
    #expect(
      try verdict(before + [snapshot([(0, [1]), (0, [1])])], atRest: rest) == .notLinearizable)
    #expect(
      try verdict(before + [snapshot([(0, [1]), (8, [1])])], atRest: rest) == .notLinearizable)
  }

  @Test func `removeAll leaves nothing of what was there before`() throws {
    let before = [Seen("s0-1", 0...1), Seen("x", 2...3)]
    #expect(try verdict(before) == nil)
    #expect(try verdict(before, atRest: [(0, [1])]) == .notLinearizable)
    #expect(try verdict(before + [Seen("s0-2", 2...9, by: 1)], atRest: [(0, [2])]) == nil)
  }

  @Test func `count is within its bounds`() throws {
    let before = [Seen("s0-1", 0...1), Seen("s1-2", 0...1, by: 1)]
    let rest = [(0, [1]), (1, [2])]
    func count(_ count: Int) -> Seen { Seen("n", 4...5, .number(count), by: 2) }
    #expect(try verdict(before + [count(2)], atRest: rest) == nil)
    #expect(try verdict(before + [count(1)], atRest: rest) == .wrongCount)
    #expect(try verdict(before + [count(3)], atRest: rest) == .wrongCount)
    #expect(try verdict(before + [count(1)], atRest: rest, isFenced: false) == nil)
    let removing = before + [Seen("r0", 2...9, .value([1]))]
    #expect(try verdict(removing + [count(1)], atRest: [(1, [2])]) == nil)
    #expect(try verdict(removing + [count(2)], atRest: [(1, [2])]) == nil)
    #expect(try verdict(removing + [count(5)], atRest: [(1, [2])]) == .wrongCount)
  }

  @Test func `what never returned may have happened or not`() throws {
    let pending = Seen("s0-1", 0...0, nil)
    #expect(try verdict([pending], atRest: [(0, [1])]) == nil)
    #expect(try verdict([pending]) == nil)
    #expect(try verdict([pending], atRest: [(0, [2])]) == .notLinearizable)
  }
}
