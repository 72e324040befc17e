import Foundation

/// Formats numbers for tables. `nil` stands for a value that was not measured.
package enum NumberText {
  /// The text for a value that was not measured.
  package static let missing = "–"

  /// Returns three significant digits, or all digits of a whole number: 4.08, 31.4, 1,234.
  package static func amount(_ value: Double?) -> String {
    guard let value else { return missing }
    if value < 9.995 { return fixed(value, decimals: 2) }
    return value < 99.95 ? fixed(value, decimals: 1) : fixed(value, decimals: 0)
  }

  /// Returns the text of `amount(_:)`, also for negative values such as differences.
  package static func signed(_ value: Double?) -> String {
    guard let value, value < 0 else { return amount(value) }
    let text = amount(-value)
    return text == "0.00" ? text : "−\(text)"
  }

  /// Returns the shortest exact text: 1, 1.3.
  package static func short(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Returns a rate with a suffix for its magnitude: 950, 12.3k, 4.56M.
  package static func rate(_ value: Double?) -> String {
    guard let value else { return missing }
    var scaled = value
    for unit in ["", "k", "M", "G"] {
      let text = unit.isEmpty ? fixed(scaled, decimals: 0) : amount(scaled)
      if scaled < 999.5 { return text + unit }
      scaled /= 1000
    }
    return amount(scaled) + "T"
  }

  /// Returns a duration, rounded up to seconds: 45 s, 14 min 20 s, 2 h 5 min.
  package static func duration(seconds: Double) -> String {
    let seconds = seconds < 1e9 ? Int(seconds.rounded(.up)) : 1_000_000_000
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }

  /// Returns a whole number with commas: 1,234,567.
  package static func count(_ value: Int) -> String {
    let digits = Array("\(value)")
    return digits.indices.map { index in
      let isThousand = index > 0 && (digits.count - index).isMultiple(of: 3)
      return (isThousand ? "," : "") + String(digits[index])
    }.joined()
  }

  /// Returns a count with its noun, whose plural ends in "s" unless it is given: 1 thread,
  /// 1,024 entries.
  package static func count(_ value: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count(value)) \(value == 1 ? noun : plural ?? noun + "s")"
  }

  /// Returns a number with commas and a fixed number of decimals, from 0 to 3.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    let scale = [1, 10, 100, 1000][decimals]
    guard value < 1e15 else { return "\(value)" }
    let scaled = Int((value * Double(scale)).rounded())
    guard decimals > 0 else { return count(scaled) }
    let fraction = "\(scaled % scale)"
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(count(scaled / scale)).\(zeros)\(fraction)"
  }
}

/// The unit of the numbers on an axis or in a column.
package enum FigureUnit: Hashable, Sendable {
  case operationsPerSecond
  case nanoseconds
  case bytes
  /// A count, per operation or in total.
  case count
  /// An index from 0 to 1.
  case index
  /// A percentage from 0 to 100.
  case percent

  /// Returns a value with its unit, at a readable magnitude: `57.0 M/s`, `1.23 µs`, `80 B`.
  package func text(_ value: Double?) -> String {
    guard let value else { return NumberText.missing }
    switch self {
    case .operationsPerSecond: return Self.scaled(value, by: Self.rateSizes)
    case .nanoseconds: return Self.scaled(value, by: Self.timeSizes)
    case .bytes: return Self.scaled(value, by: Self.byteSizes)
    case .count: return Self.small(value)
    case .index: return NumberText.amount(value)
    case .percent: return NumberText.amount(value) + " %"
    }
  }

  /// Returns the label of a tick, a round number: `50 M`, `1 µs`, `0.1`.
  package func tickText(_ value: Double) -> String {
    switch self {
    case .operationsPerSecond: Self.rounded(value, by: Self.thousands)
    case .nanoseconds: value == 0 ? "0" : Self.rounded(value, by: Self.timeSizes)
    case .bytes: Self.rounded(value, by: Self.thousands)
    case .count, .index: Self.roundedCount(value)
    case .percent: Self.roundedCount(value) + " %"
    }
  }

  private typealias Sizes = [(size: Double, name: String)]
  private static let thousands: Sizes = [
    (1, ""), (1e3, " k"), (1e6, " M"), (1e9, " G"), (1e12, " T"),
  ]
  private static let rateSizes: Sizes = thousands.map { ($0.size, $0.name + "/s") }
  private static let timeSizes: Sizes = [(1, " ns"), (1e3, " µs"), (1e6, " ms"), (1e9, " s")]
  private static let byteSizes: Sizes = [(1, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB")]

  /// The size of each unit that follows a space in `text(_:)`, as an object in JavaScript.
  static var sizesForScript: String {
    let sizes = (rateSizes + timeSizes + byteSizes).filter { $0.name.hasPrefix(" ") }
    let entries = sizes.map { "\"\($0.name.dropFirst())\": \(NumberText.short($0.size))" }
    return "{\(entries.joined(separator: ", "))}"
  }

  private static func scaled(_ value: Double, by sizes: Sizes) -> String {
    // A value that rounds to 1,000 is 1.00 of the next magnitude.
    let size = sizes.last { value >= $0.size * 0.9995 } ?? sizes[0]
    return NumberText.amount(value / size.size) + size.name
  }

  private static func rounded(_ value: Double, by sizes: Sizes) -> String {
    let size = sizes.last { value >= $0.size } ?? sizes[0]
    return short(value / size.size) + size.name
  }

  /// Returns a count; `amount` would print 0.00 for a rare event.
  private static func small(_ value: Double) -> String {
    guard value > 0, value < 0.01 else { return NumberText.amount(value) }
    return rareText(value)
  }

  private static func roundedCount(_ value: Double) -> String {
    value > 0 && value < 0.001 ? rareText(value) : rounded(value, by: thousands)
  }

  /// Returns a small count with an exponent: 1.2e-5, 1e-5.
  private static func rareText(_ value: Double) -> String {
    let exponent = Int(floor(log10(value) + 1e-9))
    let digits = value / Scale.powerOfTen(exponent)
    return "\(NumberText.short((digits * 10).rounded() / 10))e\(exponent)"
  }

  /// Rounds to four digits, which removes rounding errors such as 0.30000000000000004.
  private static func short(_ value: Double) -> String {
    guard value < 1e6, value >= 1e-3 else { return NumberText.short(value) }
    return NumberText.short((value * 1e4).rounded() / 1e4)
  }
}

extension Sequence where Element: Hashable {
  /// The elements in order, without duplicates.
  package var withoutRepetitions: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
