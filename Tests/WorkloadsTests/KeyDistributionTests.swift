import Testing
import Workloads

struct KeyDistributionTests {
  @Test func `keys are repeatable by seed and in range`() throws {
    let (one, two) = (try #require(Seed(1)), try #require(Seed(2)))
    let keys = KeyDistribution.uniform.keys(count: 1_000, range: 64, seed: one)
    #expect(keys == KeyDistribution.uniform.keys(count: 1_000, range: 64, seed: one))
    #expect(keys != KeyDistribution.uniform.keys(count: 1_000, range: 64, seed: two))
    #expect(keys.count == 1_000)
    #expect(keys.allSatisfy { (0..<64).contains($0) })
  }

  @Test func `uniform draws every key about equally often`() throws {
    let keys = KeyDistribution.uniform.keys(
      count: 16_000, range: 16, seed: try #require(Seed(11)))
    var counts = Array(repeating: 0, count: 16)
    for key in keys { counts[key] += 1 }
    // 1,000 each is expected, with a standard deviation of 31.
    #expect(counts.allSatisfy { (800...1_200).contains($0) })
  }
}
