/// An argument or a result, as a history file has it.
public enum RecordedValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(UInt64)
  case string(String)
  /// A list holds no lists.
  case list([RecordedValue])
}

extension RecordedValue: CustomStringConvertible {
  /// As it stands in the file.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "\(value)"
    case .string(let value): value.jsonQuoted
    case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
    }
  }
}

extension String {
  /// In quotation marks, with what JSON must escape escaped.
  var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
