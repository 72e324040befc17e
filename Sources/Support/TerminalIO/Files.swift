import Foundation
import Synchronization

/// An open file that writes each text completely or not at all.
///
/// A class, not a noncopyable structure: the optimizer of Swift 6.3.1 crashes where code borrows an
/// optional one.
package final class OutputFile: Sendable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether the file was empty when this object opened it.
  package let isEmpty: Bool

  /// Opens the destination, and truncates a file that it replaces.
  ///
  /// - Throws: A usage error if the destination cannot be opened.
  package init(opening destination: OutputDestination) throws(CommandError) {
    let (path, flags) =
      switch destination {
      case .standardOutput: ("", 0 as Int32)
      // A device or a pipe exists already. `O_EXCL` rejects a file that appeared after `check`.
      case .new(let path): (path, OutputDestination.isFileOrMissing(path) ? O_CREAT | O_EXCL : 0)
      case .appending(let path): (path, O_CREAT | O_APPEND)
      case .replacing(let path): (path, O_CREAT | O_TRUNC)
      }
    isOwned = destination != .standardOutput
    descriptor = isOwned ? open(path, flags | O_WRONLY | O_CLOEXEC, 0o644) : STDOUT_FILENO
    guard descriptor >= 0 else { throw OutputDestination.unwritable(path, errno) }
    var status = stat()
    let isKnown = isOwned && fstat(descriptor, &status) == 0
    isEmpty = !isKnown || status.st_size == 0
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Writes the text.
  ///
  /// - Throws: An error if a write fails, such as on a full disk; the file then has none of the
  ///   text.
  package func write(_ text: String) throws(CommandError) {
    let bytes = Array(text.utf8)
    var written = 0
    repeat {
      let rest = bytes[written...]
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        takeBack(written)
        throw .failed("cannot write \(bytes.count) bytes of output: \(reason)")
      }
      written += count
    } while written < bytes.count
  }

  private func takeBack(_ count: Int) {
    var status = stat()
    guard count > 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return
    }
    _ = ftruncate(descriptor, status.st_size - off_t(count))
  }
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
