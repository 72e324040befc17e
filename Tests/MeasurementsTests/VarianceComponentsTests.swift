import Measurements
import SeededTesting
import Testing

struct VarianceComponentsTests {
  /// By hand: means 2, 5 and 11; mean squares 1 within and 63 between, three trials each.
  @Test func `balanced processes`() throws {
    let components = try #require(
      VarianceComponents(ofProcesses: [[1, 2, 3], [4, 5, 6], [10, 11, 12]]))
    #expect(abs(components.within - 1) < 1e-12)
    #expect(abs(components.between - 62.0 / 3) < 1e-12)
  }

  /// By hand, around a mean of 4.
  @Test func `processes of unlike numbers of trials`() throws {
    let components = try #require(VarianceComponents(ofProcesses: [[1, 2, 3], [7, 7]]))
    // Within 2 ÷ 3; between 3 × 2² + 2 × 3² = 30 over 1; size (5 − 13 ÷ 5) ÷ 1 = 2.4.
    #expect(abs(components.within - 2.0 / 3) < 1e-12)
    #expect(abs(components.between - (30 - 2.0 / 3) / 2.4) < 1e-12)
  }

  @Test func `what lies between is never below nothing`() throws {
    let components = try #require(VarianceComponents(ofProcesses: [[1, 9], [9, 1], [5, 5]]))
    #expect(components.between == 0)
    #expect(components.within > 0)
  }

  @Test func `one process, or one trial in each, does not tell them apart`() {
    #expect(VarianceComponents(ofProcesses: []) == nil)
    #expect(VarianceComponents(ofProcesses: [[1, 2, 3]]) == nil)
    #expect(VarianceComponents(ofProcesses: [[1], [2], [3]]) == nil)
  }

  @Test func `of many processes both come near the truth`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let processes = (0..<400).map { _ in
      let own = LogNormal.trials(1, median: 100, sigma: 0.04, using: &generator)[0]
      return LogNormal.trials(5, median: own, sigma: 0.02, using: &generator)
    }
    let components = try #require(VarianceComponents(ofProcesses: processes))
    #expect((12...20).contains(components.between), "\(components), seed \(TestOptions.seed)")
    #expect((3.4...4.7).contains(components.within), "\(components), seed \(TestOptions.seed)")
  }
}
