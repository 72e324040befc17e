import TerminalIO
import Foundation

/// A reader of the complete lines of a file to which another process appends, and which may be
/// rotated: renamed to `FILE.1`, that one to `FILE.2` and so on, and replaced by a new one.
final class LineFollower {
  struct Line: Equatable {
    let number: Int
    let bytes: [UInt8]
  }

  private let path: String
  private var descriptor: Int32
  private var rest: [UInt8] = []
  private var number = 0

  init(_ path: String) throws(CommandError) {
    var status = stat()
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR
    else {
      if descriptor >= 0 { close(descriptor) }
      throw .unreadable(path, allowed: "reports as JSON Lines; start their program first")
    }
  }

  deinit { close(descriptor) }

  /// Returns the complete lines since the last call. If the file has become shorter, starts again
  /// from its beginning. After a rotation, the lines of the files that followed are among them,
  /// with numbers from 1 again; an unfinished line at the end of the old file is not.
  func newLines() -> [Line] {
    startAgainIfTruncated()
    // Before the open file is read, so that all that was appended before the rotation is read.
    let newer = newerFiles
    var lines = linesOfOpenFile()
    for path in newer {
      let next = open(path, O_RDONLY | O_CLOEXEC)
      // Another rotation may have renamed it: the next call finds it.
      guard next >= 0 else { break }
      close(descriptor)
      (descriptor, rest, number) = (next, [], 0)
      lines += linesOfOpenFile()
    }
    return lines
  }

  /// The files that followed the open one, the oldest first; none while the path names it.
  private var newerFiles: [String] {
    guard let own = identity(ofOpenFile: descriptor), let named = identity(of: path),
      own != named
    else { return [] }
    var newer = [path]
    for number in 1... {
      let older = "\(path).\(number)"
      guard let named = identity(of: older) else { break }
      if named == own { return newer }
      newer.insert(older, at: 0)
    }
    // The open file was deleted, or renamed in another way.
    return [path]
  }

  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  private func identity(of path: String) -> Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(status) : nil
  }

  private func identity(ofOpenFile descriptor: Int32) -> Identity? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Identity(status) : nil
  }

  private func linesOfOpenFile() -> [Line] {
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

  /// Returns the text after the last line break; nil if there is none.
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
