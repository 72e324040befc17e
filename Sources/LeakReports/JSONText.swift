/// Writes JSON whose names keep their order.
package enum JSONText {
  /// `{"name":value}`, without what is nil; values are JSON already.
  package static func object(_ members: KeyValuePairs<String, String?>) -> String {
    let present = members.compactMap { name, value in value.map { "\(text(name)):\($0)" } }
    return "{\(present.joined(separator: ","))}"
  }

  package static func list(_ values: some Sequence<String>) -> String {
    "[\(values.joined(separator: ","))]"
  }

  /// What a clock can have counted: what is read as a duration. Beyond it would be none.
  package static let durations = 0...1e9

  package static func seconds(_ duration: Duration) -> String {
    "\(min(max(duration / .seconds(1), durations.lowerBound), durations.upperBound))"
  }

  /// The largest whole number that is exact whatever reads it.
  private static let largest = 1 << 53

  /// Those that are larger, such as a limit of `Int.max`, become the largest.
  package static func integer(_ number: Int) -> String { "\(min(max(number, -largest), largest))" }

  /// From 0.
  package static func count(_ number: Int) -> String { integer(max(number, 0)) }

  package static func exact(_ number: Double) -> Int? {
    Int(exactly: number).flatMap { -largest...largest ~= $0 ? $0 : nil }
  }

  /// In quotation marks, on one line whatever it holds.
  package static func text(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      // Line ends to some programs, though not to JSON.
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}
