import SeededRandom

/// The seed that makes a trial repeatable.
///
/// It is a whole number below 2⁵³, so that a spreadsheet keeps every digit. Each run has one seed,
/// given or drawn; all others are derived from it. Every derivation has a purpose and an index.
/// Different purposes or indices give unrelated seeds.
///
///     let keys = seed.derived(for: .trial, index: 3).derived(for: .keys)
public struct Seed: Codable, Hashable, Sendable {
  /// The bound below which every seed lies: 2⁵³.
  public static let upperBound: UInt64 = 1 << 53

  /// The number.
  public let value: UInt64

  /// Creates a seed, or returns `nil` if `value` is 2⁵³ or more.
  public init?(_ value: UInt64) {
    guard value < Self.upperBound else { return nil }
    self.value = value
  }

  /// Creates a seed from a decimal number.
  ///
  /// - Throws: `WorkloadError.malformedSeed` if `text` is not a whole number below 2⁵³.
  public init(parsing text: String) throws(WorkloadError) {
    guard let value = UInt64(text), let seed = Seed(value) else { throw .malformedSeed(text) }
    self = seed
  }

  private init(lowering bits: UInt64) {
    value = bits >> 11
  }

  /// Returns a seed drawn from `generator`.
  public static func random(using generator: inout some RandomNumberGenerator) -> Seed {
    Seed(lowering: generator.next())
  }

  /// The purpose of a derived seed.
  ///
  /// The raw values never change: a seed in an old row has to give the same operations again.
  public enum Purpose: UInt64, CaseIterable, Sendable {
    /// One trial of a run.
    case trial = 1
    /// One worker of a trial.
    case worker = 2
    /// The operation schedule of a worker.
    case schedule = 3
    /// The keys or objects that a worker draws.
    case keys = 4
    /// The order in which a run measures its trials.
    case order = 5
    /// The arrival times of an open loop.
    case arrivals = 16
  }

  /// Returns the seed for `purpose`, derived from this one.
  ///
  /// Chain derivations from the outside in: first the trial, then the worker, then its schedule or
  /// its keys.
  ///
  /// - Parameters:
  ///   - purpose: The purpose of the new seed.
  ///   - index: The number of the trial or worker; traps if it is negative.
  public func derived(for purpose: Purpose, index: Int = 0) -> Seed {
    precondition(index >= 0, "index must not be negative, got \(index)")
    var generator = SplitMix64(seed: value)
    generator = SplitMix64(seed: generator.next() ^ purpose.rawValue)
    generator = SplitMix64(seed: generator.next() ^ UInt64(index))
    return Seed(lowering: generator.next())
  }
}

extension Seed: CustomStringConvertible {
  /// The number in decimal; `init(parsing:)` restores the same seed.
  public var description: String { "\(value)" }
}

extension SplitMix64 {
  /// Creates a generator that starts at `seed`.
  public init(seed: Seed) {
    self.init(seed: seed.value)
  }
}
