/// Numbers as tables show them to people; nil is what was not measured.
package enum NumberText {
  package static let missing = "–"

  /// Three digits or, from 100, all before the point: 4.08, 31.4, 1,234.
  package static func amount(_ value: Double?) -> String {
    guard let value else { return missing }
    if value < 9.995 { return fixed(value, decimals: 2) }
    return value < 99.95 ? fixed(value, decimals: 1) : fixed(value, decimals: 0)
  }

  /// The same for what may be below nothing, as a difference may.
  package static func signed(_ value: Double?) -> String {
    guard let value, value < 0 else { return amount(value) }
    let text = amount(-value)
    return text == "0.00" ? text : "−\(text)"
  }

  /// As short as it was written in the source: 1, 1.3.
  package static func short(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// With a unit of thousands: 950, 12.3k, 4.56M.
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

  /// As long as somebody waits: 45 s, 14 min 20 s, 2 h 5 min.
  package static func duration(seconds: Double) -> String {
    let seconds = seconds < 1e9 ? Int(seconds.rounded(.up)) : 1_000_000_000
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }

  package static func count(_ value: Int) -> String {
    let digits = Array("\(value)")
    return digits.indices.map { index in
      let isThousand = index > 0 && (digits.count - index).isMultiple(of: 3)
      return (isThousand ? "," : "") + String(digits[index])
    }.joined()
  }

  /// With up to three digits after the point.
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
