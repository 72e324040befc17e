/// What is wrong with a history file, and where; lines and columns count from 1, columns in characters.
public struct HistoryFileError: Error, Equatable {
  public var line: Int
  public var column: Int
  public var expected: String
  public var found: String
}

extension HistoryFileError: CustomStringConvertible {
  public var description: String {
    "line \(line), column \(column): expected \(expected), found \(Self.shortened(found))"
  }

  /// On one line, whatever the text, and not endless.
  private static func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let plain = scalars.prefix(60).map { scalar in
      scalar.properties.generalCategory == .control ? " " : String(scalar)
    }
    return plain.joined() + (scalars.count > 60 ? "…" : "")
  }
}
