#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// SplitMix64: a generator that one number determines.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// What a run of the tests may be told by environment variables.
public enum TestOptions {
  /// `WEAK_COLLECTIONS_OPERATIONS`, else `standard`: how many operations each thread of a long test does.
  public static func operations(standard: Int) -> Int {
    number("WEAK_COLLECTIONS_OPERATIONS") ?? standard
  }

  /// `WEAK_COLLECTIONS_SEED`, else the same in every run; tests name it when they fail.
  public static var seed: UInt64 { UInt64(number("WEAK_COLLECTIONS_SEED") ?? 20_261_121) }

  /// `WEAK_COLLECTIONS_STRESS_SECONDS`: how long a stress lasts that otherwise does a number of operations.
  public static var stressSeconds: Int? { number("WEAK_COLLECTIONS_STRESS_SECONDS") }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}
