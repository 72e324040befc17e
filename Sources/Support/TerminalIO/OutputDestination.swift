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

  /// What somebody typed after `option`: a file with one of these endings, which is replaced.
  package init(replacing path: String, option: String, endings: [String]) throws(CommandError) {
    guard endings.contains(where: { path.hasSuffix(".\($0)") }) else {
      let allowed = endings.map { ".\($0)" }.joined(separator: " or ")
      throw .usage("\(option) \(path.quotedOnOneLine) (allowed: a path that ends in \(allowed))")
    }
    self.init(replacing: path)
    try check()
  }

  /// Refuses, without changing anything, what could not be written or would lose rows.
  ///
  /// - Parameter appending: Refuses a file that must not be appended to.
  package func check(
    appending checkFile: (_ path: String) throws(CommandError) -> Void = { _ in }
  ) throws(CommandError) {
    switch self {
    case .standardOutput: return
    case .new(let path):
      let type = try Self.typeOfWritable(path)
      // A device or a pipe has no rows to lose.
      if type == S_IFREG {
        throw .usage(
          "\(path) is there already (allowed: --append, --force or the path of a new file)")
      }
    case .replacing(let path):
      _ = try Self.typeOfWritable(path)
    case .appending(let path):
      if try Self.typeOfWritable(path) == S_IFREG {
        try checkFile(path)
      }
    }
  }

  /// Whether the path is no device or pipe, so that a new file may be made there.
  package static func isFileOrMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  /// Takes away the file that it would replace, if there is one.
  package func remove() throws(CommandError) {
    guard case .replacing(let path) = self else { return }
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.unwritable(path, errno) }
  }

  /// The file's type as `stat` has it; nil if there is none yet and its directory can take one.
  private static func typeOfWritable(_ path: String) throws(CommandError) -> mode_t? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard access(directory, W_OK) == 0 else { throw unwritable(path, errno) }
      return nil
    }
    let type = status.st_mode & S_IFMT
    guard type != S_IFDIR else { throw unwritable(path, EISDIR) }
    guard access(path, W_OK) == 0 else { throw unwritable(path, errno) }
    return type
  }

  package static func unwritable(_ path: String, _ code: Int32) -> CommandError {
    .usage(
      "\(path) cannot be written: \(String(cString: strerror(code))) "
        + "(allowed: a path in a directory that is there and may be written to, or -)")
  }
}
