/// An error in a file of measurements.
///
/// Lines count from 1, the header's, as an editor shows them; column numbers count the fields of a
/// row from 1. A row that spans lines is where it begins, a field where it begins.
public enum ResultsError: Error, Equatable {
  /// The file has no header.
  case empty
  case missingColumn(String)
  /// Only for columns that are known; others are ignored.
  case duplicateColumn(String)
  case malformed(column: String, line: Int, columnNumber: Int, found: String, expected: String)
  case wrongFieldCount(line: Int, found: Int, expected: Int)
  case unterminatedQuote(line: Int, columnNumber: Int)
  /// A quotation mark inside a field that does not begin with one, or text after a closing one.
  case strayQuote(line: Int, columnNumber: Int)
  case duplicateRow(String, line: Int)
  /// The row was written by a later version, which gave a column another meaning.
  case unsupportedSchema(found: Int, line: Int, newestKnown: Int)
}

extension ResultsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty:
      "the file is empty; its first line must be the header"
    case .missingColumn(let name):
      "the header has no column '\(name)'"
    case .duplicateColumn(let name):
      "the header has the column '\(name)' twice"
    case .malformed(let name, let line, let number, let found, let expected):
      "line \(line), column \(number) (\(name)): expected \(expected), found \(Self.quoted(found))"
    case .wrongFieldCount(let line, let found, let expected):
      "line \(line): \(found) fields where the header has \(expected)"
    case .unterminatedQuote(let line, let number):
      "line \(line), column \(number): the quotation mark is never closed"
    case .strayQuote(let line, let number):
      "line \(line), column \(number): a quotation mark where none may be"
    case .duplicateRow(let row, let line):
      "line \(line): the row \(Self.quoted(row)) is there already"
    case .unsupportedSchema(let found, let line, let newest):
      "line \(line): schema \(found) is newer than \(newest), the newest this version reads"
    }
  }

  /// On one line, whatever the text, and not endless.
  private static func quoted(_ text: String) -> String {
    text.isEmpty ? "nothing" : String(text.prefix(60)).debugDescription
  }
}
