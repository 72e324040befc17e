import Foundation

/// The place where a command writes rows, a table or a page. `OutputFile` opens it.
package enum OutputDestination: Equatable, Sendable {
  case standardOutput
  /// A file that must not exist yet.
  case new(path: String)
  /// A file that may exist; new rows follow the ones it has.
  case appending(path: String)
  /// A file that may exist; the new contents replace the old ones.
  case replacing(path: String)

  /// The name that messages show.
  package var name: String {
    switch self {
    case .standardOutput: "standard output"
    case .new(let path), .appending(let path), .replacing(let path): path
    }
  }

  /// Creates a destination that is a new file, or standard output for `-`.
  package init(ofNew text: String) {
    self = text == "-" ? .standardOutput : .new(path: Self.absolute(text))
  }

  /// Creates a destination that replaces a file if it exists, or standard output for `-`.
  package init(replacing text: String) {
    self = text == "-" ? .standardOutput : .replacing(path: Self.absolute(text))
  }

  /// Returns the file of the same name with another ending.
  ///
  /// That file must be new if this one must be; otherwise the command replaces it.
  ///
  /// - Throws: A usage error if this is not a regular file.
  package func beside(ending: String, option: String) throws(CommandError) -> OutputDestination {
    switch self {
    case .standardOutput:
      throw .usage(
        "\(option) needs a file, got standard output "
          + "(allowed: \(option) with --csv PATH, or without --csv)")
    case .new(let path), .appending(let path), .replacing(let path):
      guard Self.isFileOrMissing(path) else {
        throw .usage(
          "\(option) needs a file, got \(path), a device or a pipe "
            + "(allowed: the path of a regular file)")
      }
      let other = Self.path(beside: path, ending: ending)
      if case .new = self { return .new(path: other) }
      return .replacing(path: other)
    }
  }

  /// Whether this is a regular file, which other files can accompany.
  package var isFile: Bool {
    switch self {
    case .standardOutput: false
    case .new(let path), .appending(let path), .replacing(let path): Self.isFileOrMissing(path)
    }
  }

  /// Returns the path with another ending: `a.html` for `a.csv`.
  package static func path(beside path: String, ending: String) -> String {
    (path.hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ending
  }

  /// Returns the path relative to the root.
  package static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).path
  }

  /// Creates a destination that replaces the file named after `option`.
  ///
  /// - Throws: A usage error if `path` has none of `endings` or cannot be written.
  package init(replacing path: String, option: String, endings: [String]) throws(CommandError) {
    guard endings.contains(where: { path.hasSuffix(".\($0)") }) else {
      let allowed = endings.map { ".\($0)" }.joined(separator: " or ")
      throw .usage("\(option) \(path.quotedOnOneLine) (allowed: a path that ends in \(allowed))")
    }
    self.init(replacing: path)
    try check()
  }

  /// Throws if the destination cannot be written or would lose rows; changes nothing.
  ///
  /// - Parameters:
  ///   - flags: The options of the command that allow an existing file, for the message.
  ///   - checkFile: Throws if rows must not be appended to the existing file at `path`.
  package func check(
    unless flags: [String] = [],
    appending checkFile: (_ path: String) throws(CommandError) -> Void = { _ in }
  ) throws(CommandError) {
    switch self {
    case .standardOutput: return
    case .new(let path):
      let type = try Self.typeOfWritable(path)
      // A device or a pipe has no rows to lose.
      if type == S_IFREG {
        let flags = flags.isEmpty ? "" : flags.joined(separator: ", ") + " or "
        throw .usage("\(path) exists already (allowed: \(flags)the path of a new file)")
      }
    case .replacing(let path):
      if try Self.typeOfWritable(path) == S_IFREG {
        // The new file is written beside the old one.
        try Self.checkFolder(of: path)
      }
    case .appending(let path):
      if try Self.typeOfWritable(path) == S_IFREG {
        try checkFile(path)
      }
    }
  }

  /// Throws if the command would write into a file that it reads, whatever the names of the two: a
  /// symbolic or a hard link also leads to the file.
  ///
  /// A command calls it before it reads.
  ///
  /// - Parameter inputs: The paths of the files that the command reads. Some may be missing.
  package func check(isNoneOf inputs: [String]) throws(CommandError) {
    guard let written = identity else { return }
    for input in inputs where Self.replacing(path: input).identity == written {
      throw .usage(
        "\(name.quotedOnOneLine) is the file \(input.quotedOnOneLine), which is read "
          + "(allowed: another path)")
    }
  }

  /// The device and the number of an existing regular file.
  private var identity: [UInt64]? {
    var status = stat()
    guard self != .standardOutput, stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
  }

  /// Whether `path` names a regular file or nothing.
  package static func isFileOrMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  /// Removes the file that the command would replace; does nothing for the other destinations.
  package func remove() throws(CommandError) {
    guard case .replacing(let path) = self else { return }
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.unwritable(path, errno) }
  }

  /// Returns the file's type, as `stat` reports it; `nil` if the file is missing and can be
  /// created.
  private static func typeOfWritable(_ path: String) throws(CommandError) -> mode_t? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      try checkFolder(of: path)
      return nil
    }
    let type = status.st_mode & S_IFMT
    guard type != S_IFDIR else { throw unwritable(path, EISDIR) }
    guard access(path, W_OK) == 0 else { throw unwritable(path, errno) }
    return type
  }

  /// Throws if no file can be created beside `path`.
  private static func checkFolder(of path: String) throws(CommandError) {
    let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
    guard access(folder.path, W_OK) == 0 else { throw unwritable(path, errno) }
  }

  /// Returns the usage error for a path that cannot be written; `code` is the `errno`.
  package static func unwritable(_ path: String, _ code: Int32) -> CommandError {
    .usage(
      "\(path) cannot be written: \(String(cString: strerror(code))) "
        + "(allowed: a path in an existing, writable directory, or -)")
  }
}
