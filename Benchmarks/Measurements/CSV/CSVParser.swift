/// A parser of CSV by RFC 4180.
///
/// A field that begins with a quotation mark ends with one, and may contain commas, line breaks and
/// doubled quotation marks. A line may end in LF, CR or both; the last line may have no line end.
/// The parser skips a byte order mark, as spreadsheets write it. It works on bytes, because every
/// delimiter is ASCII, and Swift treats CR LF as one character.
struct CSVParser {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the next record, or `nil` at the end.
  mutating func next() throws(ResultsError) -> CSVRecord? {
    guard position < bytes.count else { return nil }
    var fields: [CSVRecord.Field] = []
    repeat {
      fields.append(try field(number: fields.count + 1))
    } while skipComma()
    defer { skipLineBreak() }
    return CSVRecord(fields: fields, hasLineEnd: peek != nil)
  }

  /// Returns the next line if it begins with a number sign, and `nil` otherwise.
  mutating func nextComment() -> CSVRecord.Field? {
    guard peek == .numberSign else { return nil }
    let start = position
    let comment = bytes[start...].prefix { $0 != .lineFeed && $0 != .carriageReturn }
    position += comment.count
    defer { skipLineBreak() }
    return CSVRecord.Field(text: String(decoding: comment, as: UTF8.self), line: line)
  }

  /// Parses a field, up to a comma, a line break or the end.
  private mutating func field(number: Int) throws(ResultsError) -> CSVRecord.Field {
    let start = line
    let text = peek == .quote ? try quoted(number: number) : plain()
    switch peek {
    case nil, .comma, .lineFeed, .carriageReturn: return CSVRecord.Field(text: text, line: start)
    default: throw .strayQuote(line: line, columnNumber: number)
    }
  }

  /// Parses a field without quotation marks; also stops before a quotation mark.
  private mutating func plain() -> String {
    let start = position
    while let byte = peek, ![.comma, .lineFeed, .carriageReturn, .quote].contains(byte) {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func quoted(number: Int) throws(ResultsError) -> String {
    let start = line
    var content: [UInt8] = []
    position += 1
    while let byte = peek {
      if byte == .quote {
        position += 1
        // A doubled quotation mark represents one; a single one ends the field.
        guard peek == .quote else { return String(decoding: content, as: UTF8.self) }
      }
      countLine()
      content.append(byte)
      position += 1
    }
    throw .unterminatedQuote(line: start, columnNumber: number)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipComma() -> Bool {
    guard peek == .comma else { return false }
    position += 1
    return true
  }

  private mutating func skipLineBreak() {
    while let byte = peek {
      let isFirstOfTwo = byte == .carriageReturn && endsWithLineFeed
      countLine()
      position += 1
      if !isFirstOfTwo { return }
    }
  }

  /// Counts a line at the last byte of its line break, so that CR LF counts once.
  private mutating func countLine() {
    if peek == .lineFeed || (peek == .carriageReturn && !endsWithLineFeed) { line += 1 }
  }

  private var endsWithLineFeed: Bool {
    position + 1 < bytes.count && bytes[position + 1] == .lineFeed
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let numberSign = UInt8(ascii: "#")
  fileprivate static let comma = UInt8(ascii: ",")
  fileprivate static let lineFeed = UInt8(ascii: "\n")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

/// One record of a CSV file: a row of fields, which may span lines.
struct CSVRecord: Equatable {
  struct Field: Equatable {
    var text: String
    /// The number of the line in which the field begins, from 1.
    var line: Int
  }

  var fields: [Field]
  /// Whether a line break follows; without one, the record may be cut off.
  var hasLineEnd = true

  /// The number of the line in which the record begins, from 1.
  var line: Int { fields[0].line }
}
