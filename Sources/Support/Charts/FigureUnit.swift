import Foundation

/// What numbers of an axis or a column are, and how people read them.
package enum FigureUnit: Hashable, Sendable {
  case operationsPerSecond
  case nanoseconds
  case bytes
  /// Something that is counted, for each operation or as a whole.
  case count
  /// From 0 to 1.
  case index
  /// From 0 to 100.
  case percent

  /// With the unit, in the size that reads best: `57.0 M/s`, `1.23 µs`, `80 B`.
  package func text(_ value: Double?) -> String {
    guard let value else { return NumberText.missing }
    switch self {
    case .operationsPerSecond: return Self.scaled(value, by: Self.thousands) + "/s"
    case .nanoseconds: return Self.scaled(value, by: Self.times)
    case .bytes:
      return Self.scaled(value, by: [(1, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB")])
    case .count: return Self.small(value)
    case .index: return NumberText.amount(value)
    case .percent: return NumberText.amount(value) + " %"
    }
  }

  /// The same for a round number: `50 M`, `1 µs`, `0.1`.
  package func tickText(_ value: Double) -> String {
    switch self {
    case .operationsPerSecond: Self.rounded(value, by: Self.thousands)
    case .nanoseconds: value == 0 ? "0" : Self.rounded(value, by: Self.times)
    case .bytes: Self.rounded(value, by: Self.thousands)
    case .count, .index: Self.roundedCount(value)
    case .percent: Self.roundedCount(value) + " %"
    }
  }

  private typealias Sizes = [(size: Double, name: String)]
  private static let thousands: Sizes = [
    (1, ""), (1e3, " k"), (1e6, " M"), (1e9, " G"), (1e12, " T"),
  ]
  private static let times: Sizes = [(1, " ns"), (1e3, " µs"), (1e6, " ms"), (1e9, " s")]

  private static func scaled(_ value: Double, by sizes: Sizes) -> String {
    // What would be written as 1,000 is 1.00 of the next size.
    let size = sizes.last { value >= $0.size * 0.9995 } ?? sizes[0]
    return NumberText.amount(value / size.size) + size.name
  }

  private static func rounded(_ value: Double, by sizes: Sizes) -> String {
    let size = sizes.last { value >= $0.size } ?? sizes[0]
    return short(value / size.size) + size.name
  }

  /// What is rare would be 0.00 as an amount.
  private static func small(_ value: Double) -> String {
    guard value > 0, value < 0.01 else { return NumberText.amount(value) }
    return rareText(value)
  }

  private static func roundedCount(_ value: Double) -> String {
    value > 0 && value < 0.001 ? rareText(value) : rounded(value, by: thousands)
  }

  /// As 1.2e-5, or 1e-5.
  private static func rareText(_ value: Double) -> String {
    let exponent = Int(floor(log10(value) + 1e-9))
    let digits = value / Scale.powerOfTen(exponent)
    return "\(NumberText.short((digits * 10).rounded() / 10))e\(exponent)"
  }

  /// Four digits are enough to take rounding errors away: 0.30000000000000004.
  private static func short(_ value: Double) -> String {
    guard value < 1e6, value >= 1e-3 else { return NumberText.short(value) }
    return NumberText.short((value * 1e4).rounded() / 1e4)
  }
}
