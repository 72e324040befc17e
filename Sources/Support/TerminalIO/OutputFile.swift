import Foundation

/// An open file that takes whole texts: all of one, or nothing of it.
///
/// A class, and no structure that cannot be copied: the optimizer of Swift 6.3.1 crashes where an optional one
/// is borrowed.
package final class OutputFile: Sendable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether there was nothing in it when it was opened.
  package let isEmpty: Bool

  /// Opens, and for a file that is to be replaced empties, the destination.
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

  /// One `write`; what a full disk cuts off is taken back.
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
