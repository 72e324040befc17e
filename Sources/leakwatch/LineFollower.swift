import TerminalIO
import Foundation

/// A reader of the complete lines of a file to which another process appends.
final class LineFollower {
  struct Line: Equatable {
    let number: Int
    let bytes: [UInt8]
  }

  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var number = 0

  init(_ path: String) throws(CommandError) {
    var status = stat()
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR
    else {
      if descriptor >= 0 { close(descriptor) }
      throw .unreadable(path, allowed: "reports as JSON Lines; start their program first")
    }
  }

  deinit { close(descriptor) }

  /// Returns the lines since the last call. It reads a file that has become shorter from its start.
  func newLines() -> [Line] {
    startAgainIfTruncated()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var lines: [Line] = []
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return lines }
      rest += chunk[..<count]
      lines += wholeLines()
    }
  }

  /// Returns the text after the last line end; nil if there is none.
  func unfinishedLine() -> Line? {
    rest.isEmpty ? nil : Line(number: number + 1, bytes: rest)
  }

  private func wholeLines() -> [Line] {
    var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = Array(parts.removeLast())
    return parts.map { part in
      number += 1
      return Line(number: number, bytes: Array(part))
    }
  }

  private func startAgainIfTruncated() {
    var status = stat()
    let place = lseek(descriptor, 0, SEEK_CUR)
    // A pipe has no position, and never becomes shorter.
    guard place > 0, fstat(descriptor, &status) == 0, status.st_size < place else { return }
    lseek(descriptor, 0, SEEK_SET)
    (rest, number) = ([], 0)
  }
}
