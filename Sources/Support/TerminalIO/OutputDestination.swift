import Foundation

/// Where rows, a table or a page go. Nothing is opened before `OutputFile` does.
package enum OutputDestination: Equatable, Sendable {
  case standardOutput
  /// A file that must not be there yet.
  case new(path: String)
  /// A file that may be there, and keeps its rows.
  case appending(path: String)
  /// A file that may be there, and loses its rows.
  case replacing(path: String)

  /// As messages show it.
  package var name: String {
    switch self {
    case .standardOutput: "standard output"
    case .new(let path), .appending(let path), .replacing(let path): path
    }
  }

  /// What somebody typed: a file that must not be there yet, or - for standard output.
  package init(ofNew text: String) {
    self = text == "-" ? .standardOutput : .new(path: Self.absolute(text))
  }

  /// What somebody typed: a file that may be there and is then replaced, or - for standard output.
  package init(replacing text: String) {
    self = text == "-" ? .standardOutput : .replacing(path: Self.absolute(text))
  }

  /// Of rows: a file that has their name but for the ending, and is no less careful of what is there.
  package func beside(ending: String, option: String) throws(CommandError) -> OutputDestination {
    switch self {
    case .standardOutput:
      throw .usage(
        "\(option) needs a file (allowed: \(option) with --csv PATH, or without --csv)")
    case .new(let path), .appending(let path), .replacing(let path):
      guard Self.isFileOrMissing(path) else {
        throw .usage("\(option) needs a file, and \(path) is a device or a pipe")
      }
      let other = Self.path(beside: path, ending: ending)
      if case .new = self { return .new(path: other) }
      return .replacing(path: other)
    }
  }

  /// Whether something can stand beside it.
  package var isFile: Bool {
    switch self {
    case .standardOutput: false
    case .new(let path), .appending(let path), .replacing(let path): Self.isFileOrMissing(path)
    }
  }

  /// The name of what belongs to a file of rows: `a.html` for `a.csv`.
  package static func path(beside path: String, ending: String) -> String {
    (path.hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ending
  }

  package static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).path
  }
}
