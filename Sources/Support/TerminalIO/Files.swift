import Foundation
import Synchronization

/// An open file that writes each text completely or not at all.
///
/// The first text of a new file, or of one that is replaced, goes to a file beside it, which then
/// takes the name, so that a full disk or a signal leaves the old file. The texts after it follow
/// in the same file.
///
/// A class, not a noncopyable structure: the optimizer of Swift 6.3.1 crashes where code borrows an
/// optional one.
package final class OutputFile: Sendable {
  private let destination: OutputDestination
  private let descriptor: Int32
  private let isOwned: Bool
  /// The file beside the destination; `nil` once it has the destination's name.
  private let beside: Mutex<Beside?>
  /// Whether the file was empty when this object opened it.
  package let isEmpty: Bool

  /// Opens the destination. A file that it replaces remains until the first text is written.
  ///
  /// - Throws: A usage error if the destination cannot be opened.
  package init(opening destination: OutputDestination) throws(CommandError) {
    let beside = Beside(destination)
    let (path, flags) =
      switch (destination, beside) {
      case (.standardOutput, _): ("", 0 as Int32)
      case (_, let beside?): (beside.path, O_CREAT | O_EXCL)
      case (.appending(let path), _): (path, O_CREAT | O_APPEND)
      // A device or a pipe.
      case (.new(let path), _), (.replacing(let path), _): (path, 0)
      }
    self.destination = destination
    isOwned = destination != .standardOutput
    descriptor = isOwned ? open(path, flags | O_WRONLY | O_CLOEXEC, 0o644) : STDOUT_FILENO
    guard descriptor >= 0 else { throw OutputDestination.unwritable(destination.name, errno) }
    var status = stat()
    let isKnown = isOwned && fstat(descriptor, &status) == 0
    isEmpty = !isKnown || status.st_size == 0
    if let mode = beside?.mode { fchmod(descriptor, mode) }
    self.beside = Mutex(beside)
  }

  deinit {
    if let file = beside.withLock({ $0 }) { file.remove() }
    if isOwned { close(descriptor) }
  }

  /// Writes the text.
  ///
  /// - Throws: An error if a write fails, such as on a full disk; the file then has none of the
  ///   text. A usage error if another program has created the new file.
  package func write(_ text: String) throws(CommandError) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let rest = bytes[written...]
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        takeBack(written)
        throw .failed("cannot write \(bytes.count) bytes to \(destination.name): \(reason)")
      }
      written += count
    }
    let code = beside.withLock { beside -> Int32 in
      // Some file systems notice only here that the disk is full.
      guard let file = beside, fsync(descriptor) == 0, file.takeName() else {
        return beside == nil ? 0 : errno
      }
      beside = nil
      return 0
    }
    guard code != 0 else { return }
    if case .new = destination, code == EEXIST {
      throw .usage(
        "\(destination.name) exists already, because another program has just created it "
          + "(allowed: the path of a new file)")
    }
    throw .failed("cannot write \(destination.name): \(String(cString: strerror(code)))")
  }

  private func takeBack(_ count: Int) {
    var status = stat()
    guard count > 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return
    }
    _ = ftruncate(descriptor, status.st_size - off_t(count))
  }
}

/// A file with a name of its own beside a destination, which it becomes.
private struct Beside {
  let path: String
  private let target: String
  private let isNew: Bool
  /// The permissions of the file that is replaced; `nil` without one.
  let mode: mode_t?

  /// Creates the name for a new or replaced file; `nil` for other destinations, and for devices and
  /// pipes.
  init?(_ destination: OutputDestination) {
    switch destination {
    case .standardOutput, .appending: return nil
    case .new(let path), .replacing(let path):
      guard OutputDestination.isFileOrMissing(path) else { return nil }
      // A symbolic link remains one.
      let real = realpath(path, nil)
      defer { free(real) }
      target = real.map { String(cString: $0) } ?? path
    }
    if case .new = destination { isNew = true } else { isNew = false }
    path = "\(target).\(UUID().uuidString.prefix(8))"
    var status = stat()
    mode = stat(target, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Gives the file the destination's name; returns whether that succeeded. A new file does not
  /// replace one that appeared meanwhile.
  func takeName() -> Bool {
    guard isNew else { return rename(path, target) == 0 }
    if link(path, target) == 0 {
      remove()
      return true
    }
    // Some file systems have no hard links.
    guard [EPERM, ENOTSUP, ENOSYS].contains(errno), access(target, F_OK) != 0 else { return false }
    return rename(path, target) == 0
  }

  func remove() { unlink(path) }
}

extension OutputDestination {
  /// Writes `text` at the end of a run, and reports a failure on standard error.
  ///
  /// - Returns: The status of the failure, or `nil` on success.
  package func write(_ text: String) -> ExitStatus? {
    do {
      try OutputFile(opening: self).write(text)
      return nil
    } catch {
      Console.note(error.description)
      return error.status
    }
  }
}

/// A folder of output files. A new file replaces an existing one of the same name.
package struct OutputFolder: Sendable {
  package let path: String

  /// Creates the folder if it is missing.
  ///
  /// - Throws: A usage error if the path is empty or the folder cannot be created.
  package init(_ text: String, option: String) throws(CommandError) {
    guard !text.isEmpty else { throw .usage("\(option) '' (allowed: a folder)") }
    path = URL(fileURLWithPath: text).path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) cannot be created "
          + "(allowed: a folder, or a path where one can be created)")
    }
  }

  /// Writes `text` to the file `name` in the folder.
  package func write(_ text: String, to name: String) throws(CommandError) {
    let destination = OutputDestination(replacing: "\(path)/\(name)")
    try destination.check()
    try OutputFile(opening: destination).write(text)
  }
}

/// A file that a command reads; `-` is standard input.
package enum InputFile {
  /// The contents of pipes, by path: a pipe can be read only once, but some commands read a file
  /// first for its columns and then for its rows.
  private static let streams = Mutex<[String: Data]>([:])

  /// Returns the contents of a file, a pipe or standard input; `nil` if it cannot be read.
  package static func contents(_ path: String) -> Data? {
    if isFile(path) { return FileManager.default.contents(atPath: path) }
    return streams.withLock { streams in
      if let data = streams[path] { return data }
      let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
      guard let handle, let data = try? handle.readToEnd() ?? Data() else { return nil }
      streams[path] = data
      return data
    }
  }

  /// Whether `path` names a regular file, which other files can accompany, or nothing.
  package static func isFile(_ path: String) -> Bool {
    path != "-" && OutputDestination.isFileOrMissing(path)
  }

  /// The name that messages show.
  package static func name(of path: String) -> String {
    path == "-" ? "standard input" : path
  }
}
