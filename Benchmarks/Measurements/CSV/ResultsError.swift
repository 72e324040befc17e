/// An error in a file of measurements.
///
/// Lines are numbered from 1, the header, as in an editor. Columns are numbered from 1 by the
/// fields of a row. A row or field that spans several lines has the number of its first line.
public enum ResultsError: Error, Equatable {
  /// The file has no header.
  case empty
  /// The header lacks a required column.
  case missingColumn(String)
  /// The header has a column of a later version, whose values would be lost.
  case unknownColumn(String)
  /// The header has a known column twice; unknown columns are ignored.
  case duplicateColumn(String)
  /// A field is not valid for its column.
  case malformed(column: String, line: Int, columnNumber: Int, found: String, expected: String)
  /// A row has more or fewer fields than the header.
  case wrongFieldCount(line: Int, found: Int, expected: Int)
  /// The last line of the file has fewer fields than the header, and no line end.
  case truncatedRow(line: Int, found: Int, expected: Int)
  /// A row is the header of another file, as in files that were joined line by line.
  case repeatedHeader(line: Int)
  /// A field begins with a quotation mark and never ends.
  case unterminatedQuote(line: Int, columnNumber: Int)
  /// A quotation mark is inside a field that does not begin with one, or text follows a closing
  /// quotation mark.
  case strayQuote(line: Int, columnNumber: Int)
  /// Two rows have the same identifier.
  case duplicateRow(String, line: Int)
  /// A later version wrote the row, and a column has another meaning in that version.
  case unsupportedSchema(found: Int, line: Int, newestKnown: Int)
  /// A line that begins with a number sign is not `# session ` and a JSON object of texts and
  /// numbers.
  case malformedSession(line: Int, character: Int)
  /// The line of a session lacks a required fact.
  case missingFact(String, line: Int)
  /// The line of a session has a fact that this version does not know, or that the file stores in a
  /// column.
  case unknownFact(String, line: Int)
  /// The line of a session has a fact twice.
  case duplicateFact(String, line: Int)
  /// The line of a session contradicts an earlier one.
  case contradictedSession(run: String, line: Int)
  /// No line before a row states the facts of the row's session.
  case missingSession(run: String, number: Int, line: Int)
}

extension ResultsError: CustomStringConvertible {
  /// One line that says what is wrong, where, and what was expected.
  public var description: String {
    switch self {
    case .empty:
      "the file is empty; its first line must be the header"
    case .missingColumn(let name):
      "the header has no column '\(name)'; pass a file that `weakbench run --csv` wrote"
    case .unknownColumn(let name):
      "the column '\(Self.onOneLine(name))' is not one of this version's; "
        + "use the version that wrote the file"
    case .duplicateColumn(let name):
      "the header has the column '\(name)' twice; remove one of them"
    case .malformed(let name, let line, let number, let found, let expected):
      "line \(line), column \(number) (\(name)): expected \(expected), found \(Self.quoted(found))"
    case .wrongFieldCount(let line, let found, let expected):
      "line \(line): expected \(expected) fields, as in the header, found \(found)"
    case .truncatedRow(let line, let found, let expected):
      "line \(line), the last one, is cut off after \(found) of \(expected) fields, as by a full disk; "
        + "remove it"
    case .repeatedHeader(let line):
      "line \(line): the header again, as after `cat a.csv b.csv`; join files with `weakbench merge`"
    case .unterminatedQuote(let line, let number):
      "line \(line), column \(number): the quotation mark is never closed; add the closing one"
    case .strayQuote(let line, let number):
      "line \(line), column \(number): a quotation mark inside or after a field; quote the whole "
        + "field, and double the quotation marks in it"
    case .duplicateRow(let row, let line):
      "line \(line): a row \(Self.quoted(row)) is already in the file; remove one of them"
    case .unsupportedSchema(let found, let line, let newest):
      "line \(line): schema \(found) is newer than \(newest), the newest that this version reads; "
        + "use a newer version"
    case .malformedSession(let line, let character):
      "line \(line), character \(character): expected '# session ' and a JSON object of texts and "
        + "numbers"
    case .missingFact(let name, let line):
      "line \(line): the session has no fact '\(name)'; add it"
    case .unknownFact(let name, let line):
      "line \(line): the session's fact '\(Self.onOneLine(name))' is unknown to this version, or "
        + "is also a column; use the version that wrote the file"
    case .duplicateFact(let name, let line):
      "line \(line): the session has the fact '\(name)' twice; remove one of them"
    case .contradictedSession(let run, let line):
      "line \(line): an earlier line has other facts of this session of the run "
        + "\(Self.quoted(run)); remove one of them"
    case .missingSession(let run, let number, let line):
      "line \(line): no line '# session' above has the facts of session \(number) of the run "
        + "\(Self.quoted(run)); copy the line from the file that has it"
    }
  }

  /// Returns `text` quoted and escaped, on one line of limited length.
  private static func quoted(_ text: String) -> String {
    text.isEmpty ? "nothing" : "\"\(onOneLine(text))\""
  }

  private static func onOneLine(_ text: String) -> Substring {
    String(text.prefix(60)).debugDescription.dropFirst().dropLast()
  }
}
