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
