import Testing
import WeakCollections

@testable import StressTesting

/// A legal and an illegal history for each operation.
@Suite struct WeakSetCheckTests {
  private func verdict(
    _ operations: [Seen], atRest objects: [Int] = [],
    changing change: (inout Aftermath) -> Void = { _ in }
  ) throws -> Violation.Kind? {
    try StressTestingTests.verdict(
      .weakSet, operations, atRest: .objects(objects), changing: change)
  }

  private let one = Seen("j1", 0...1, .insertion(inserted: true, entries: 1))

  @Test func `a repeated insertion adds an object only once`() throws {
    let again = Seen("j1", 2...3, .insertion(inserted: false, entries: 1))
    #expect(try verdict([one, again], atRest: [1]) == nil)
    let twice = Seen("j1", 2...3, .insertion(inserted: true, entries: 2))
    #expect(try verdict([one, twice], atRest: [1]) == .notLinearizable)
    #expect(try verdict([again], atRest: [1]) == .notLinearizable)
  }

  @Test func `an insertion that returned is not lost`() throws {
    #expect(try verdict([one], atRest: []) == .notLinearizable)
    #expect(try verdict([one, Seen("c1", 2...3, .flag(true))], atRest: [1]) == nil)
    #expect(try verdict([one, Seen("c1", 2...3, .flag(false))], atRest: [1]) == .notLinearizable)
  }

  @Test func `remove returns whether the object was in the set`() throws {
    let removed = Seen("r1", 2...3, .flag(true))
    #expect(try verdict([one, removed]) == nil)
    #expect(try verdict([one, removed], atRest: [1]) == .notLinearizable)
    #expect(try verdict([one, Seen("r1", 2...3, .flag(false))], atRest: [1]) == .notLinearizable)
    #expect(try verdict([one, removed, Seen("r1", 4...5, .flag(true))]) == .notLinearizable)
  }

  @Test func `an object is found until its death begins, and never after its deinit`() throws {
    let dying = [one, Seen("d1", 4...8)]
    func snapshot(_ interval: ClosedRange<UInt64>, _ objects: [Int]) -> Seen {
      Seen("a", interval, .objects(objects), by: 1)
    }
    #expect(try verdict(dying + [snapshot(2...3, [1])]) == nil)
    #expect(try verdict(dying + [snapshot(2...3, [])]) == .notLinearizable)
    #expect(try verdict(dying + [snapshot(5...6, [1])]) == nil)
    #expect(try verdict(dying + [snapshot(9...10, [1])]) == .notLinearizable)
  }

  @Test func `a snapshot has each object once, and only what was inserted`() throws {
    #expect(
      try verdict([one, Seen("a", 2...3, .objects([1, 1]))], atRest: [1]) == .notLinearizable)
    #expect(
      try verdict([one, Seen("c2", 0...1, .flag(false))], atRest: [1, 2]) == .notLinearizable)
  }

  @Test func `a snapshot may read each object at a different time`() throws {
    let moved = [
      one, Seen("j2", 4...5, .insertion(inserted: true, entries: 2)),
      Seen("r1", 6...7, .flag(true)),
    ]
    #expect(try verdict(moved + [Seen("a", 2...9, .objects([]), by: 1)], atRest: [2]) == nil)
    #expect(try verdict(moved + [Seen("a", 2...9, .objects([1, 2]), by: 1)], atRest: [2]) == nil)
    #expect(
      try verdict(moved + [Seen("a", 8...9, .objects([1, 2]), by: 1)], atRest: [2])
        == .notLinearizable)
  }

  @Test func `two insertions that add return different counts unless an object is removed`() throws
  {
    let other = Seen("j2", 0...9, .insertion(inserted: true, entries: 1), by: 1)
    #expect(try verdict([one, other], atRest: [1, 2]) == .wrongCount)
    let left = [one, Seen("r1", 2...3, .flag(true))]
    #expect(
      try verdict(left + [Seen("j2", 4...5, .insertion(inserted: true, entries: 1))], atRest: [2])
        == nil)
  }

  @Test func `counts are bounded by the live objects and the entries`() throws {
    let both = [one, Seen("j2", 2...3, .insertion(inserted: true, entries: 2))]
    #expect(try verdict(both + [Seen("n", 4...5, .number(2))], atRest: [1, 2]) == nil)
    #expect(try verdict(both + [Seen("n", 4...5, .number(1))], atRest: [1, 2]) == .wrongCount)
    #expect(try verdict(both + [Seen("e", 4...5, .number(3))], atRest: [1, 2]) == .wrongCount)
    let dead = both + [Seen("d1", 4...5)]
    #expect(try verdict(dead + [Seen("e", 6...7, .number(2))], atRest: [2]) == nil)
    #expect(try verdict(dead + [Seen("e", 6...7, .number(1))], atRest: [2]) == nil)
    #expect(try verdict(dead + [Seen("n", 6...7, .number(2))], atRest: [2]) == .wrongCount)
  }

  @Test func `a dead entry is compacted once`() throws {
    let dead = [one, Seen("d1", 2...3)]
    #expect(try verdict(dead + [Seen("k", 4...5, .number(1))]) == nil)
    #expect(
      try verdict(dead + [Seen("k", 4...5, .number(1)), Seen("k", 6...7, .number(1))])
        == .wrongCount)
  }

  @Test func `removeAll may remove each object at a different time`() throws {
    let cleared = [one, Seen("x", 2...3)]
    #expect(try verdict(cleared) == nil)
    #expect(try verdict(cleared, atRest: [1]) == .notLinearizable)
  }
}
