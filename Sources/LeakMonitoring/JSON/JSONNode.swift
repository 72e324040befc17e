/// A value of JSON that knows where it stands, so that an error can say it.
struct JSONNode {
  enum Content {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONNode])
    /// In the order of the text.
    case object([(name: String, nameOffset: Int, value: JSONNode)])
  }

  let content: Content
  /// Of its first byte.
  let offset: Int
}

/// Why text is not what it should be, and the byte where that shows.
struct JSONError: Error {
  let offset: Int
  let expected: String

  /// With a place for people; `text` is line number `firstLine` of the file, and what follows.
  func located(in text: some Collection<UInt8>, of file: String, firstLine: Int) -> LeakFileError {
    let before = text.prefix(offset)
    let newline = UInt8(ascii: "\n")
    let lineStart = before.reversed().prefix { $0 != newline }
    return .malformed(
      file: file, line: firstLine + before.count { $0 == newline },
      // Bytes that continue a scalar do not count.
      column: 1 + lineStart.count { $0 & 0xC0 != 0x80 }, expected: expected)
  }
}
