import Measurements
import SeededTesting
import Testing

struct MannWhitneyTestTests {
  /// The one-sided 0.1272 is what R's documentation of `wilcox.test` gives for these, from
  /// Hollander and Wolfe's "Nonparametric Statistical Methods"; the two-sided is SciPy 1.17's,
  /// `method="exact"`.
  @Test func `the permeability of chorioamnion`() throws {
    let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    let early = [1.15, 0.88, 0.90, 0.74, 1.21]
    let test = try #require(MannWhitneyTest(term, early))
    #expect(test.u == 35)
    #expect(abs(test.pValue - 0.254_412_254_412_254_4) < 1e-12)
  }

  /// From the documentation of SciPy's `mannwhitneyu`.
  @Test func `the ages at which diabetes was found`() throws {
    let test = try #require(MannWhitneyTest([19, 22, 16, 29, 24], [20, 11, 17, 12]))
    #expect(test.u == 17)
    #expect(abs(test.pValue - 0.111_111_111_111_111_1) < 1e-12)
  }

  /// 41 of the 462 ways to choose 5 of the 11 mid-ranks are as far from the middle, counted one by
  /// one in Python.
  @Test func `few values are counted though some are equal`() throws {
    let test = try #require(MannWhitneyTest([1, 2, 2, 3, 5], [2, 4, 5, 5, 6, 7]))
    #expect(test.u == 5)
    #expect(abs(test.pValue - 41.0 / 462) < 1e-12)
  }

  /// As SciPy 1.17 has it, `method="asymptotic"`, with its corrections for ties and continuity.
  @Test func `many values with equal ones are approximated`() throws {
    let first = (0..<25).map { Double($0 * 7 % 23) }
    let second = (0..<24).map { Double($0 * 5 % 23 + 3) }
    let test = try #require(MannWhitneyTest(first, second))
    #expect(test.u == 225)
    #expect(abs(test.pValue - 0.135_954_317_844_866_6) < 1e-12)
  }

  @Test func `counting and approximating agree where one takes over from the other`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let first = LogNormal.trials(20, median: 100, using: &generator)
    let second = LogNormal.trials(20, median: 103, using: &generator)
    let counted = try #require(MannWhitneyTest(first, second))
    let approximated = try #require(MannWhitneyTest(first + [1000], second))
    let other = try #require(MannWhitneyTest(first + [1], second))
    let bounds = [approximated.pValue, other.pValue].sorted()
    #expect((bounds[0]...bounds[1]).contains(counted.pValue), "seed \(TestOptions.seed)")
  }

  @Test func `nothing and nobody differ`() throws {
    #expect(MannWhitneyTest([], [1]) == nil)
    #expect(MannWhitneyTest([1], []) == nil)
    for count in [3, 30] {
      let values = Array(repeating: 7.0, count: count)
      let test = try #require(MannWhitneyTest(values, values))
      #expect(test.pValue == 1)
      #expect(test.u == Double(count * count) / 2)
    }
  }

  @Test func `which sample comes first does not matter`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    for count in [3, 8, 30] {
      let first = LogNormal.trials(count, median: 100, using: &generator)
      let second = LogNormal.trials(count + 2, median: 105, using: &generator)
      let (one, other) = (MannWhitneyTest(first, second), MannWhitneyTest(second, first))
      #expect(abs(try #require(one).pValue - (try #require(other).pValue)) < 1e-12)
      #expect(one!.u + other!.u == Double(count * (count + 2)))
    }
  }

  @Test(arguments: [(3, 3), (5, 5), (4, 9), (20, 20)])
  func `samples that do not overlap have the least p-value there is`(_ sizes: (Int, Int)) throws {
    let first = (0..<sizes.0).map { Double($0) }
    let second = (0..<sizes.1).map { Double(100 + $0) }
    let test = try #require(MannWhitneyTest(first, second))
    let least = MannWhitneyTest.leastPValue(sizes.0, sizes.1)
    #expect(abs(test.pValue / least - 1) < 1e-9)
  }

  @Test func `the least p-values are two by the number of arrangements`() {
    #expect(abs(MannWhitneyTest.leastPValue(3, 3) - 0.1) < 1e-15)
    #expect(abs(MannWhitneyTest.leastPValue(5, 5) - 2.0 / 252) < 1e-15)
    #expect(MannWhitneyTest.leastPValue(1, 1) == 1)
    #expect(MannWhitneyTest.leastPValue(0, 9) == 1)
  }

  @Test func `the same distribution is called different in about 5 of 100`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let called = try (0..<1000).count { _ in
      let first = LogNormal.trials(8, median: 100, using: &generator)
      let second = LogNormal.trials(8, median: 100, using: &generator)
      return try #require(MannWhitneyTest(first, second)).pValue <= 0.05
    }
    #expect((20...75).contains(called), "seed \(TestOptions.seed): \(called) of 1000")
  }
}
