import Foundation

/// An open file that writes each text completely or not at all.
///
/// A class rather than a noncopyable structure: the optimizer of Swift 6.3.1 crashes where an optional one is borrowed.
package final class OutputFile: Sendable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether the file was empty when it was opened.
  package let isEmpty: Bool

  /// Opens the destination; a file that is replaced is emptied.
  package init(opening destination: OutputDestination) throws(CommandError) {
    let (path, flags) =
      switch destination {
      case .standardOutput: ("", 0 as Int32)
      // A device or a pipe is there already; a file that has come since the check is refused.
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

  /// Writes the text; on failure, such as a full disk, removes the part that was written.
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
        throw .failed("the output cannot be written: \(reason)")
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

/// A folder of output files; an existing file of the same name is replaced.
package struct OutputFolder: Sendable {
  package let path: String

  /// Creates the folder if it is missing.
  package init(_ text: String, option: String) throws(CommandError) {
    guard !text.isEmpty else { throw .usage("\(option) '' (allowed: a folder)") }
    path = URL(fileURLWithPath: text).path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) cannot be made "
          + "(allowed: a folder, or a path where one may be made)")
    }
  }

  package func write(_ text: String, to name: String) throws(CommandError) {
    let destination = OutputDestination(replacing: "\(path)/\(name)")
    try destination.check()
    try OutputFile(opening: destination).write(text)
  }
}
