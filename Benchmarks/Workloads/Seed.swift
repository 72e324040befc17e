import SeededRandom

/// The seed that makes a trial repeatable: a whole number below 2⁵³, so that a spreadsheet keeps every digit.
///
/// Each run has one seed, given or drawn; all others are derived from it. Every derivation has a purpose and
/// an index. Different purposes or indices give unrelated seeds.
///
///     let keys = seed.derived(for: .trial, index: 3).derived(for: .keys)
public struct Seed: Codable, Hashable, Sendable {
  public static let upperBound: UInt64 = 1 << 53

  public let value: UInt64

  /// `nil` at or above 2⁵³.
  public init?(_ value: UInt64) {
    guard value < Self.upperBound else { return nil }
    self.value = value
  }

  public init(parsing text: String) throws(WorkloadError) {
    guard let value = UInt64(text), let seed = Seed(value) else { throw .malformedSeed(text) }
    self = seed
  }

  private init(lowering bits: UInt64) {
    value = bits >> 11
  }

  public static func random(using generator: inout some RandomNumberGenerator) -> Seed {
    Seed(lowering: generator.next())
  }

  /// What a derived seed is for. The numbers never change: old rows depend on them.
  public enum Purpose: UInt64, CaseIterable, Sendable {
    case trial = 1
    case worker = 2
    case schedule = 3
    case keys = 4
    case order = 5
    case arrivals = 16
  }

  /// The seed for one trial, one worker of it, its schedule, its keys: chain them in that order.
  public func derived(for purpose: Purpose, index: Int = 0) -> Seed {
    precondition(index >= 0, "an index is not negative")
    var generator = SplitMix64(seed: value)
    generator = SplitMix64(seed: generator.next() ^ purpose.rawValue)
    generator = SplitMix64(seed: generator.next() ^ UInt64(index))
    return Seed(lowering: generator.next())
  }
}

extension Seed: CustomStringConvertible {
  public var description: String { "\(value)" }
}

extension SplitMix64 {
  public init(seed: Seed) {
    self.init(seed: seed.value)
  }
}
