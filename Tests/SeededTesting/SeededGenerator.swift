import SeededRandom

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// The generator of tests: one number determines its sequence.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Creates a generator. Equal seeds give equal sequences.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Returns the next number of the sequence.
  public mutating func next() -> UInt64 { generator.next() }
}

/// Options of a test run, from environment variables.
public enum TestOptions {
  /// Whether `WEAK_COLLECTIONS_FULL` is 1, as in the nightly run: tests have their full size.
  public static var isFull: Bool { number("WEAK_COLLECTIONS_FULL") == 1 }

  /// `WEAK_COLLECTIONS_OPERATIONS`, else a quarter of `full`, or all of it in a full run: how many
  /// operations each thread of a long test does.
  public static func operations(full: Int) -> Int {
    number("WEAK_COLLECTIONS_OPERATIONS") ?? (isFull ? full : full / 4)
  }

  /// `WEAK_COLLECTIONS_SEED`, else the same in every run; tests name it when they fail.
  public static var seed: UInt64 { UInt64(number("WEAK_COLLECTIONS_SEED") ?? 20_261_121) }

  /// `WEAK_COLLECTIONS_STRESS_SECONDS`: how long a stress lasts that otherwise does a number of
  /// operations.
  public static var stressSeconds: Int? { number("WEAK_COLLECTIONS_STRESS_SECONDS") }

  /// The size of a simulation: a tenth of `full`, or all of it in a full run.
  public static func simulations(full: Int) -> Int { isFull ? full : full / 10 }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}

/// How often an event happens in a number of independent trials.
public enum Binomial {
  /// Returns the number of events that at most one in a million series of `trials` exceeds, if an
  /// event has the given probability.
  ///
  /// A test of a rate that expects at most so many events passes with almost every seed.
  public static func most(of trials: Int, at probability: Double) -> Int {
    var (term, sum, count) = (pow(1 - probability, Double(trials)), 0.0, 0)
    while true {
      sum += term
      if sum >= 1 - 1e-6 || count == trials { return count }
      term *= Double(trials - count) / Double(count + 1) * probability / (1 - probability)
      count += 1
    }
  }
}

/// Times with the distribution of trials: positive, and occasionally far above the median.
public enum LogNormal {
  /// Drawn by Box and Muller's method; `sigma` is of the logarithm, about the relative deviation.
  public static func trials(
    _ count: Int, median: Double, sigma: Double = 0.05,
    using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    (0..<count).map { _ in
      let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
      let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &generator)
      return median * exp(sigma * radius * cos(angle))
    }
  }
}
