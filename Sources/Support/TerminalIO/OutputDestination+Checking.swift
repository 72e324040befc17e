import Foundation

extension OutputDestination {
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
