import Foundation

/// Where rows, a table or a page go. Nothing is opened before `OutputFile` does.
enum OutputDestination: Equatable, Sendable {
  case standardOutput
  /// A file that must not be there yet.
  case new(path: String)
  /// A file that may be there, and keeps its rows.
  case appending(path: String)
  /// A file that may be there, and loses its rows.
  case replacing(path: String)

  /// As messages show it.
  var name: String {
    switch self {
    case .standardOutput: "standard output"
    case .new(let path), .appending(let path), .replacing(let path): path
    }
  }

  /// What the options say; `defaultName` is for a new file in the caller's directory.
  init(_ options: RunOptions, defaultName: String) throws(CommandError) {
    guard !(options.append && options.force) else {
      throw .usage("--append and --force exclude each other (allowed: one of them)")
    }
    guard let csv = options.csv, csv != "-" else {
      guard !options.append && !options.force else {
        let flag = options.append ? "--append" : "--force"
        throw .usage("\(flag) needs a file (allowed: \(flag) with --csv PATH)")
      }
      self = options.csv == nil ? .new(path: Self.absolute(defaultName)) : .standardOutput
      return
    }
    guard !csv.isEmpty else {
      throw .usage("--csv '' (allowed: a path, or - for standard output)")
    }
    let path = Self.absolute(csv)
    switch (options.append, options.force) {
    case (true, _): self = .appending(path: path)
    case (_, true): self = .replacing(path: path)
    default: self = .new(path: path)
    }
  }

  /// What somebody typed: a file that must not be there yet, or - for standard output.
  init(ofNew text: String) {
    self = text == "-" ? .standardOutput : .new(path: Self.absolute(text))
  }

  /// What somebody typed: a file that may be there and is then replaced, or - for standard output.
  init(replacing text: String) {
    self = text == "-" ? .standardOutput : .replacing(path: Self.absolute(text))
  }

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).path
  }
}
