import Measurements
import SeededTesting
import Testing

@testable import Measurements

struct UniversalScalabilityTests {
  private typealias Point = UniversalScalability.Point

  /// Throughputs as the law has them, each wrong by about `noise`.
  private static func points(
    _ one: Double, _ contention: Double, _ coherency: Double, threads: [Int] = [1, 2, 4, 8],
    trials: Int = 1, noise: Double = 0, using generator: inout SeededGenerator
  ) -> [Point] {
    threads.flatMap { count in
      let n = Double(count)
      let exact = one * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
      return (0..<trials).map { _ in
        let error = noise > 0 ? Double.random(in: -noise...noise, using: &generator) : 0
        return Point(threads: count, throughput: exact * (1 + error))
      }
    }
  }

  @Test(arguments: [(0, 0), (0.1, 0), (0, 0.02), (0.05, 0.001), (0.9, 0.5)] as [(Double, Double)])
  func `what follows the law is found again`(_ contention: Double, _ coherency: Double) throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let points = Self.points(3e7, contention, coherency, using: &generator)
    let fit = try #require(UniversalScalability(of: points))
    #expect(abs(fit.throughputOfOne / 3e7 - 1) < 1e-9)
    #expect(abs(fit.contention - contention) < 1e-9)
    #expect(abs(fit.coherency - coherency) < 1e-9)
    for point in points {
      let throughput = try #require(fit.throughput(ofThreads: point.threads))
      #expect(abs(throughput / point.throughput - 1) < 1e-9)
    }
  }

  @Test func `terms are never negative, whatever was measured`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    for _ in 0..<2000 {
      let points = [1, 2, 3, 4, 8].map {
        Point(threads: $0, throughput: .random(in: 1...1000, using: &generator))
      }
      let fit = try #require(UniversalScalability(of: points))
      #expect(fit.throughputOfOne > 0 && fit.contention >= 0 && fit.coherency >= 0)
    }
  }

  @Test func `more than linear growth is no negative contention`() throws {
    let points = [(1, 10.0), (2, 25), (4, 60)].map { Point(threads: $0, throughput: $1) }
    let fit = try #require(UniversalScalability(of: points))
    #expect(fit.contention == 0 && fit.coherency == 0)
    #expect(fit.threadsOfPeak == nil)
  }

  @Test func `no bounded fit is better, by a search around it`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let points = Self.points(100, 0.2, 0.01, trials: 3, noise: 0.2, using: &generator)
    let fit = try #require(UniversalScalability(of: points))
    func error(_ one: Double, _ contention: Double, _ coherency: Double) -> Double {
      points.reduce(0) { sum, point in
        let n = Double(point.threads)
        let share =
          point.throughput * (1 + contention * (n - 1) + coherency * n * (n - 1)) / (one * n)
        return sum + (share - 1) * (share - 1)
      }
    }
    let best = error(fit.throughputOfOne, fit.contention, fit.coherency)
    for _ in 0..<5000 {
      let other = error(
        fit.throughputOfOne * .random(in: 0.8...1.25, using: &generator),
        max(0, fit.contention + .random(in: -0.1...0.1, using: &generator)),
        max(0, fit.coherency + .random(in: -0.01...0.01, using: &generator)))
      #expect(other >= best - 1e-12)
    }
  }

  @Test func `the peak is where the curve is highest, and is not looked for far away`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let near = try #require(
      UniversalScalability(of: Self.points(1, 0.1, 0.05, using: &generator)))
    let curve = (1...16).map { ($0, near.throughput(ofThreads: $0) ?? 0) }
    #expect(near.threadsOfPeak == curve.max { $0.1 < $1.1 }?.0)
    let far = try #require(
      UniversalScalability(of: Self.points(1, 0, 0.0001, using: &generator)))
    #expect(far.threadsOfPeak == nil)
    #expect(far.throughput(ofThreads: 16) != nil && far.throughput(ofThreads: 17) == nil)
  }

  @Test func `two numbers of threads are no curve`() {
    let points = [(1, 1.0), (2, 2), (2, 2.1)].map { Point(threads: $0, throughput: $1) }
    #expect(UniversalScalability(of: points) == nil)
  }

  @Test func `intervals hold the truth, about as often as they say`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let bootstrap = Bootstrap(resamples: 200)
    var held = 0
    for _ in 0..<60 {
      let points = Self.points(1e6, 0.15, 0.02, trials: 10, noise: 0.1, using: &generator)
      let found = try #require(
        UniversalScalability.intervals(of: points, bootstrap, using: &generator))
      if found.contention.contains(0.15) && found.coherency.contains(0.02) { held += 1 }
    }
    #expect(held >= 48, "of 60, seed \(TestOptions.seed)")
    let few = Self.points(1, 0.1, 0.1, trials: 2, using: &generator)
    #expect(UniversalScalability.intervals(of: few, using: &generator) == nil)
  }

  /// Two trials of each number of threads in each of `sessions`, which differ by up to `spread`.
  private static func points(
    sessions: Int, spread: Double, threads: [Int] = [1, 2, 4, 8],
    using generator: inout SeededGenerator
  ) -> [Point] {
    (1...sessions).flatMap { session in
      let speed = 1e6 * (1 + Double.random(in: -spread...spread, using: &generator))
      return points(speed, 0.15, 0.02, threads: threads, trials: 2, using: &generator).map {
        Point(
          threads: $0.threads, throughput: $0.throughput,
          session: Measurement.Session(run: "run-1", number: session))
      }
    }
  }

  @Test func `what sessions differ by is in the interval, if there are enough of them`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let bootstrap = Bootstrap(resamples: 100)
    var held = (sessions: 0, trials: 0)
    for _ in 0..<30 {
      let points = Self.points(sessions: 8, spread: 0.3, using: &generator)
      let found = try #require(
        UniversalScalability.intervals(of: points, bootstrap, using: &generator))
      #expect(found.isOfSessions)
      if found.throughputOfOne.contains(1e6) { held.sessions += 1 }
      let mixed = points.map { Point(threads: $0.threads, throughput: $0.throughput) }
      let other = try #require(
        UniversalScalability.intervals(of: mixed, bootstrap, using: &generator))
      #expect(!other.isOfSessions)
      if other.throughputOfOne.contains(1e6) { held.trials += 1 }
    }
    #expect(held.sessions >= 21, "of 30, seed \(TestOptions.seed)")
    #expect(held.trials < held.sessions, "of 30, seed \(TestOptions.seed)")
  }

  @Test func `few sessions, or one without a number of threads, are not drawn`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let few = Self.points(sessions: 5, spread: 0.1, using: &generator)
    let many = Self.points(sessions: 6, spread: 0.1, using: &generator)
    for (points, areSessions) in [(few, false), (many, true), (Array(many.dropLast(2)), false)] {
      let found = UniversalScalability.intervals(
        of: points, Bootstrap(resamples: 20), using: &generator)
      #expect(try #require(found).isOfSessions == areSessions)
    }
  }
}

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
