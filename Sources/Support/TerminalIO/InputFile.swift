import Foundation
import Synchronization

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
