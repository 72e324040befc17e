import Measurements
import SeededTesting
import Testing

struct ScalabilityFitTests {
  private typealias Point = UniversalScalability.Point

  private static let bootstrap = Bootstrap(resamples: 100)

  /// Trials a percent apart of 10 million operations in a second a thread.
  private static func points(threads: [Int], contention: Double, coherency: Double = 0) -> [Point] {
    threads.flatMap { count in
      let n = Double(count)
      let exact = 1e7 * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
      return [0.99, 1, 1.01].map { Point(threads: count, throughput: exact * $0) }
    }
  }

  @Test func `a law explains what follows it, and not what does not`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let good = try #require(
      ScalabilityFit(
        of: Self.points(threads: [1, 2, 4, 8], contention: 0.1), Self.bootstrap, using: &generator))
    #expect(try #require(good.determination) > 0.99)
    let saw = [(1, 10.0), (2, 90), (4, 10), (8, 90), (16, 10)].map {
      Point(threads: $0, throughput: $1)
    }
    let bad = try #require(ScalabilityFit(of: saw, Self.bootstrap, using: &generator))
    #expect(try #require(bad.determination) < 0.5)
    #expect(bad.intervals == nil)
  }

  @Test
  func `the band holds the law at every number of threads up to twice the most, and none beyond`()
    throws
  {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let points = Self.points(threads: [1, 2, 4, 8], contention: 0.1, coherency: 0.01)
    let fit = try #require(ScalabilityFit(of: points, Self.bootstrap, using: &generator))
    let intervals = try #require(fit.intervals)
    for count in 1...16 {
      let throughput = try #require(fit.law.throughput(ofThreads: count))
      let band = try #require(intervals.throughput(ofThreads: count))
      #expect(band.contains(throughput) && band.lowerBound > 0)
    }
    #expect(intervals.throughput(ofThreads: 17) == nil)
    #expect(intervals.throughputOfOne.contains(fit.law.throughputOfOne))
  }

  @Test func `three numbers of threads are not fitted, nor is what no machine does`() {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let few = Self.points(threads: [1, 2, 4], contention: 0.1)
    #expect(ScalabilityFit(of: few, Self.bootstrap, using: &generator) == nil)
    for throughput in [0, .leastNonzeroMagnitude, 1.7e308, .infinity] {
      let points =
        Self.points(threads: [1, 2, 4], contention: 0.1)
        + [Point(threads: 8, throughput: throughput)]
      #expect(ScalabilityFit(of: points, Self.bootstrap, using: &generator) == nil)
    }
  }

  @Test func `throughputs that are all the same have no variance to explain`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let flat = [1, 2, 4, 8].map { Point(threads: $0, throughput: 5e6) }
    let fit = try #require(ScalabilityFit(of: flat, Self.bootstrap, using: &generator))
    #expect(fit.determination == nil)
    #expect(abs(fit.law.contention - 1) < 1e-9)
  }
}
