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
    let flags = [
      ("--append", options.append), ("--force", options.force), ("--resume", options.resume),
    ].filter(\.1).map(\.0)
    guard flags.count <= 1 else {
      throw .usage("\(flags.joined(separator: " and ")) exclude each other (allowed: one of them)")
    }
    guard let csv = options.csv, csv != "-" else {
      if let flag = flags.first {
        throw .usage("\(flag) needs a file (allowed: \(flag) with --csv PATH)")
      }
      self = options.csv == nil ? .new(path: Self.absolute(defaultName)) : .standardOutput
      return
    }
    guard !csv.isEmpty else {
      throw .usage("--csv '' (allowed: a path, or - for standard output)")
    }
    let path = Self.absolute(csv)
    switch (options.append || options.resume, options.force) {
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

  /// Of rows: where a page of them goes.
  func page() throws(CommandError) -> OutputDestination {
    try beside(ending: ".html", option: "--report")
  }

  /// Of rows: where what each role did goes; rows that are kept keep theirs.
  func roles() throws(CommandError) -> OutputDestination {
    let roles = try beside(ending: RowSink.rolesEnding, option: "--roles")
    if case .appending = self, case .replacing(let path) = roles { return .appending(path: path) }
    return roles
  }

  /// Of rows: a file that has their name but for the ending, and is no less careful of what is there.
  func beside(ending: String, option: String) throws(CommandError) -> OutputDestination {
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
  var isFile: Bool {
    switch self {
    case .standardOutput: false
    case .new(let path), .appending(let path), .replacing(let path): Self.isFileOrMissing(path)
    }
  }

  /// The name of what belongs to a file of rows: `a.html` for `a.csv`.
  static func path(beside path: String, ending: String) -> String {
    (path.hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ending
  }

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).path
  }
}
