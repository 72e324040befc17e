/// The line with the facts of a session: `# session ` and a JSON object of texts and numbers.
///
/// Readers that skip comments, such as pandas with `comment="#"` and DuckDB, read the rows alone.
/// Files of earlier versions have a column for each fact, with the same name. `run` and `session`
/// identify the session; both are also columns of its rows.
enum SessionLine {
  private static let start = "# session "

  /// Returns the line of the measurement's session, with those of `facts` that are known.
  static func text(of measurement: Measurement, _ facts: [Column<Measurement>]) -> String {
    let session = measurement.session
    let members =
      [("run", session.run), ("session", "\(session.number)")]
      + facts.map { ($0.name, $0.text(measurement)) }.filter { !$0.1.isEmpty }
    // A text that looks like a number is one; `Column.isWritable` refuses any other.
    let json = members.map { name, text in
      "\(quoted(name)):\(Double(text) == nil ? quoted(text) : text)"
    }
    return "\(start){\(json.joined(separator: ","))}\n"
  }

  /// Returns `text` as a JSON string.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case ..<" ":
        "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2)
          + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  /// Returns the members of the JSON object in `line`, in their order.
  static func members(of line: CSVRecord.Field) throws(ResultsError) -> [(
    name: String, text: String
  )] {
    var parser = SessionLineParser(line.text)
    guard let members = parser.members(after: start) else {
      throw .malformedSession(line: line.line, character: parser.position + 1)
    }
    return members
  }
}

/// A parser of a JSON object whose members are texts and numbers.
///
/// Foundation's parsers accept repeated names. They also do not keep the text of a number, which
/// the column must check. This parser works on UTF-16 because the escapes of JSON are UTF-16 code
/// units.
private struct SessionLineParser {
  private let units: [UInt16]
  /// The position of the next code unit; the position of the error after a function has returned
  /// `nil` or `false`.
  private(set) var position = 0

  init(_ text: String) {
    units = Array(text.utf16)
  }

  /// Parses the whole line; returns `nil` if it is malformed.
  mutating func members(after start: String) -> [(name: String, text: String)]? {
    guard units.starts(with: start.utf16) else { return nil }
    position = start.utf16.count
    guard skip(.openingBrace) else { return nil }
    var members: [(name: String, text: String)] = []
    if !skip(.closingBrace) {
      repeat {
        guard let name = quoted(), skip(.colon),
          let text = peek == .quote ? quoted() : number()
        else { return nil }
        members.append((name, text))
      } while skip(.comma)
      guard skip(.closingBrace) else { return nil }
    }
    return position == units.count ? members : nil
  }

  private var peek: UInt16? { position < units.count ? units[position] : nil }

  /// Skips the character `unit` and the spaces after it; returns `false` if another one is next.
  private mutating func skip(_ unit: UInt16) -> Bool {
    guard peek == unit else { return false }
    position += 1
    skipSpaces()
    return true
  }

  private mutating func skipSpaces() {
    while peek == .space { position += 1 }
  }

  private mutating func number() -> String? {
    let rest = units[position...].prefix { String.numberUnits.contains($0) }
    let text = String(decoding: rest, as: UTF16.self)
    guard Double(text) != nil else { return nil }
    position += rest.count
    skipSpaces()
    return text
  }

  private mutating func quoted() -> String? {
    guard peek == .quote else { return nil }
    position += 1
    var content: [UInt16] = []
    while let unit = peek, unit != .quote {
      position += 1
      guard let plain = unit == .backslash ? escaped() : unit else { return nil }
      content.append(plain)
    }
    return skip(.quote) ? String(decoding: content, as: UTF16.self) : nil
  }

  /// Parses an escape sequence whose backslash has been skipped.
  private mutating func escaped() -> UInt16? {
    guard let unit = peek else { return nil }
    position += 1
    switch Unicode.Scalar(unit) {
    case "\"", "\\", "/": return unit
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "b": return 0x08
    case "f": return 0x0C
    case "u":
      let digits = String(decoding: units[position...].prefix(4), as: UTF16.self)
      guard digits.utf8.count == 4, let code = UInt16(digits, radix: 16) else { return nil }
      position += 4
      return code
    default: return nil
    }
  }
}

extension String {
  fileprivate static let numberUnits = Array("0123456789.eE+-".utf16)
}

extension UInt16 {
  fileprivate static let space = UInt16(UInt8(ascii: " "))
  fileprivate static let quote = UInt16(UInt8(ascii: "\""))
  fileprivate static let backslash = UInt16(UInt8(ascii: "\\"))
  fileprivate static let comma = UInt16(UInt8(ascii: ","))
  fileprivate static let colon = UInt16(UInt8(ascii: ":"))
  fileprivate static let openingBrace = UInt16(UInt8(ascii: "{"))
  fileprivate static let closingBrace = UInt16(UInt8(ascii: "}"))
}

/// A reader of the facts of sessions. The line of a session precedes the rows of that session.
struct SessionReader {
  /// The columns that may be members of a session line: the facts, `run` and `session`.
  private let table: [Column<Measurement>]
  private let facts: [Column<Measurement>]
  /// A row for each session, which has only its facts.
  private var sessions: [Measurement.Session: Measurement] = [:]

  init(header: [String]) {
    facts = MeasurementCSV.sessionFacts(ofHeader: header)
    table = facts + MeasurementCSV.rowColumns.filter { ["run", "session"].contains($0.name) }
  }

  mutating func read(_ line: CSVRecord.Field) throws(ResultsError) {
    let members = try SessionLine.members(of: line)
    let fields = members.map { CSVRecord.Field(text: $0.text, line: line.line) }
    for (member, field) in zip(members, fields) where member.name == "schema" {
      try MeasurementCSV.check(schema: field)
    }
    for (name, _) in members where !table.contains(where: { $0.name == name }) {
      throw .unknownFact(name, line: line.line)
    }
    let session = try reader(of: members.map(\.name), line.line).row(in: CSVRecord(fields: fields))
    guard sessions.updateValue(session, forKey: session.session) ?? session == session else {
      throw .contradictedSession(run: session.identity.run, line: line.line)
    }
  }

  private func reader(
    of names: [String], _ line: Int
  ) throws(ResultsError) -> RowReader<Measurement> {
    do {
      return try RowReader(table, header: names)
    } catch .missingColumn(let name) {
      throw .missingFact(name, line: line)
    } catch .duplicateColumn(let name) {
      throw .duplicateFact(name, line: line)
    }
  }

  /// Adds to a row the facts of its session. The error for a missing session names `line`, the
  /// number of the row's line.
  func complete(_ row: inout Measurement, line: Int) throws(ResultsError) {
    guard let session = sessions[row.session] else {
      throw .missingSession(run: row.identity.run, number: row.session.number, line: line)
    }
    for fact in facts { _ = fact.set(fact.text(session), &row) }
  }
}
