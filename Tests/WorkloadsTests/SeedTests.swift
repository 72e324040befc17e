import SeededRandom
import Testing
import Workloads

struct SeedTests {
  @Test func `the generator gives the published numbers`() {
    var generator = SplitMix64(seed: 1_234_567 as UInt64)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    #expect(expected.map { _ in generator.next() } == expected)
  }

  @Test(arguments: [1, 2, 3, 100, Int.max])
  func `numbers stay below their bound`(_ bound: Int) {
    var generator = SplitMix64(seed: 5 as UInt64)
    #expect((0..<1_000).allSatisfy { _ in (0..<bound).contains(generator.number(below: bound)) })
  }

  @Test func `a shuffle keeps every element`() {
    var generator = SplitMix64(seed: 9 as UInt64)
    var elements = Array(0..<100)
    generator.shuffle(&elements)
    #expect(elements != Array(0..<100))
    #expect(elements.sorted() == Array(0..<100))
  }

  @Test func `a seed is below two to the 53rd`() throws {
    #expect(Seed(Seed.upperBound - 1)?.value == 9_007_199_254_740_991)
    #expect(Seed(Seed.upperBound) == nil)
    #expect(try Seed(parsing: "42").description == "42")
  }

  @Test(arguments: ["", "-1", "1.5", "9007199254740992", "seed"])
  func `what is no seed is refused`(_ text: String) {
    #expect(throws: WorkloadError.malformedSeed(text)) { try Seed(parsing: text) }
  }

  @Test func `derived seeds are repeatable, distinct and in range`() throws {
    let root = try #require(Seed(0))
    var derived: Set<Seed> = [root]
    for purpose in Seed.Purpose.allCases {
      for index in 0..<200 {
        let seed = root.derived(for: purpose, index: index)
        #expect(seed == root.derived(for: purpose, index: index))
        #expect(seed.value < Seed.upperBound)
        derived.insert(seed)
      }
    }
    #expect(derived.count == 1 + 200 * Seed.Purpose.allCases.count)
  }

  @Test func `derived seeds never change between versions`() throws {
    let trial = try #require(Seed(42)).derived(for: .trial, index: 3)
    #expect(trial.derived(for: .worker, index: 1).value == 8_115_673_740_140_783)
  }
}

struct OperationScheduleTests {
  @Test(arguments: WorkloadSubject.allCases)
  func `a schedule has exactly the shares of its mix`(_ subject: WorkloadSubject) throws {
    let seed = try #require(Seed(7))
    for workload in Workload.all(for: subject) {
      let operations = OperationSchedule(mix: workload.mix, seed: seed).operations
      #expect(operations.count == OperationSchedule.defaultLength)
      for operation in OperationKind.allCases {
        let expected = workload.mix.share(of: operation) * OperationSchedule.defaultLength / 100
        #expect(operations.count { $0 == operation } == expected)
      }
    }
  }

  @Test func `the same seed gives the same schedule, another seed another`() throws {
    let mix = try OperationMix(read: 50, insert: 50)
    let (one, two) = (try #require(Seed(1)), try #require(Seed(2)))
    #expect(OperationSchedule(mix: mix, seed: one) == OperationSchedule(mix: mix, seed: one))
    #expect(OperationSchedule(mix: mix, seed: one) != OperationSchedule(mix: mix, seed: two))
  }

  @Test func `operations are spread, not in blocks`() throws {
    let mix = try OperationMix(read: 50, insert: 50)
    let operations = OperationSchedule(mix: mix, seed: try #require(Seed(3))).operations
    let changes = zip(operations, operations.dropFirst()).count { $0 != $1 }
    // A fair shuffle changes about every second time; the bounds are more than ten deviations off.
    #expect((1_300...1_900).contains(changes))
  }
}

struct SlidingWindowTests {
  @Test func `it moves by a key for as many draws as inserts have a share`() {
    let window = SlidingWindow(size: 8, insertShare: 5)
    #expect(window.oldest(afterDraws: 0) == 0)
    #expect(window.next(afterDraws: 0) == 8)
    #expect(window.oldest(afterDraws: 19) == 0)
    #expect(window.oldest(afterDraws: 20) == 1)
    #expect(window.next(afterDraws: 20) == 9)
  }

  @Test func `it begins again at the range's end`() {
    let window = SlidingWindow(size: 4, insertShare: 50)
    #expect(window.range == 8)
    #expect(window.next(afterDraws: 8) == 0)
    #expect(window.oldest(afterDraws: 16) == 0)
    #expect((0..<4).map { window.key($0, afterDraws: 12) } == [6, 7, 0, 1])
  }

  @Test func `a drawn place is a key of the window at that time`() {
    let window = SlidingWindow(size: 4, insertShare: 50)
    #expect(window.keys(atPlaces: [3, 3, 3, 3, 0]) == [3, 3, 4, 4, 2])
  }
}
