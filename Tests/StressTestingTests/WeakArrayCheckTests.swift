import Testing
import WeakCollections

@testable import StressTesting

/// A legal and an illegal history for each operation.
@Suite struct WeakArrayCheckTests {
  private func verdict(
    _ operations: [Seen], atRest objects: [Int] = [],
    changing change: (inout Aftermath) -> Void = { _ in }
  ) throws -> Violation.Kind? {
    try StressTestingTests.verdict(
      .weakArray, operations, atRest: .objects(objects), changing: change)
  }

  private let one = Seen("p1", 0...1, .number(1))

  @Test func `a snapshot is in the order of the appends`() throws {
    let both = [one, Seen("p2", 2...3, .number(2))]
    #expect(try verdict(both, atRest: [1, 2]) == nil)
    #expect(try verdict(both, atRest: [2, 1]) == .notLinearizable)
  }

  @Test func `duplicates are kept`() throws {
    let twice = [one, Seen("p1", 2...3, .number(2))]
    #expect(try verdict(twice, atRest: [1, 1]) == nil)
    #expect(try verdict(twice, atRest: [1]) == .notLinearizable)
  }

  @Test func `two appends get the same number only if an entry was removed between them`() throws {
    #expect(
      try verdict([one, Seen("p2", 0...9, .number(1), by: 1)], atRest: [1, 2]) == .notLinearizable)
    let left = [one, Seen("r1", 2...3, .flag(true)), Seen("p2", 4...5, .number(1))]
    #expect(try verdict(left, atRest: [2]) == nil)
    let unnoticed = [one, Seen("d1", 2...3), Seen("p2", 4...5, .number(1))]
    #expect(try verdict(unnoticed, atRest: [2]) == nil)
  }

  @Test func `a dead entry counts until its removal, and not afterwards`() throws {
    let dead = [one, Seen("d1", 2...3)]
    #expect(try verdict(dead + [Seen("p2", 4...5, .number(2))], atRest: [2]) == nil)
    let noticed = dead + [Seen("k", 4...5, .number(1))]
    #expect(try verdict(noticed + [Seen("p2", 6...7, .number(1))], atRest: [2]) == nil)
    #expect(
      try verdict(noticed + [Seen("p2", 6...7, .number(2))], atRest: [2]) == .notLinearizable)
  }

  @Test func `an object is found until its death begins, and never after its deinit`() throws {
    let dying = [one, Seen("d1", 4...8)]
    func snapshot(_ interval: ClosedRange<UInt64>, _ objects: [Int]) -> Seen {
      Seen("a", interval, .objects(objects), by: 1)
    }
    #expect(try verdict(dying + [snapshot(2...3, [1])]) == nil)
    #expect(try verdict(dying + [snapshot(2...3, [])]) == .notLinearizable)
    #expect(try verdict(dying + [snapshot(5...6, [1])]) == nil)
    #expect(try verdict(dying + [snapshot(5...6, [])]) == nil)
    #expect(try verdict(dying + [snapshot(9...10, [])]) == nil)
    #expect(try verdict(dying + [snapshot(9...10, [1])]) == .notLinearizable)
  }

  @Test func `contains and remove return whether there is an entry`() throws {
    #expect(try verdict([one, Seen("c1", 2...3, .flag(true))], atRest: [1]) == nil)
    #expect(try verdict([one, Seen("c1", 2...3, .flag(false))], atRest: [1]) == .notLinearizable)
    #expect(try verdict([one, Seen("r1", 2...3, .flag(true))]) == nil)
    #expect(try verdict([one, Seen("r1", 2...3, .flag(false))], atRest: [1]) == .notLinearizable)
  }

  @Test func `remove takes the earliest entry`() throws {
    let three = [
      one, Seen("p2", 2...3, .number(2)), Seen("p1", 4...5, .number(3)),
      Seen("r1", 6...7, .flag(true)),
    ]
    #expect(try verdict(three, atRest: [2, 1]) == nil)
    #expect(try verdict(three, atRest: [1, 2]) == .notLinearizable)
  }

  @Test func `removeAll removes all`() throws {
    #expect(try verdict([one, Seen("x", 2...3)]) == nil)
    #expect(try verdict([one, Seen("x", 2...3)], atRest: [1]) == .notLinearizable)
  }

  @Test func `one count is of live elements, the other of entries`() throws {
    let half = [one, Seen("p2", 2...3, .number(2)), Seen("d1", 4...5)]
    #expect(try verdict(half + [Seen("n", 6...7, .number(1))], atRest: [2]) == nil)
    #expect(try verdict(half + [Seen("n", 6...7, .number(2))], atRest: [2]) == .notLinearizable)
    for entries in 1...2 {
      #expect(try verdict(half + [Seen("e", 6...7, .number(entries))], atRest: [2]) == nil)
    }
    for entries in [0, 3] {
      #expect(
        try verdict(half + [Seen("e", 6...7, .number(entries))], atRest: [2]) == .notLinearizable)
    }
  }

  @Test func `compact removes dead entries only`() throws {
    #expect(try verdict([one, Seen("k", 2...3, .number(0))], atRest: [1]) == nil)
    #expect(try verdict([one, Seen("k", 2...3, .number(1))], atRest: [1]) == .notLinearizable)
  }

  @Test func `at rest no object is kept alive or made twice, and the number of entries is bounded`()
    throws
  {
    #expect(try verdict([one], atRest: [1]) { $0.entryCount = 68 } == nil)
    #expect(try verdict([one], atRest: [1]) { $0.entryCount = 69 } == .notConserved)
    #expect(try verdict([one], atRest: [1]) { $0.keptAlive = [1] } == .notConserved)
    #expect(try verdict([one], atRest: [1]) { $0.leaked = [1] } == .notConserved)
    #expect(try verdict([one], atRest: [1]) { $0.remade = [1] } == .notConserved)
    #expect(try verdict([one], atRest: [1]) { $0.count = 2 } == .wrongCount)
  }
}
