import CShims

/// Whole files of text. The core has no Foundation: a program that watches for leaks need not link it.
package enum LeakFile {
  static func bytes(of path: String) throws(LeakFileError) -> [UInt8] {
    var (start, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    let error = cws_read_file(path, &start, &count)
    guard error == 0 else { throw .unreadable(file: path, reason: reason(error)) }
    defer { cws_free(start) }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The lines that are not empty, with their numbers from 1.
  static func lines(
    of path: String
  ) throws(LeakFileError) -> [(number: Int, bytes: ArraySlice<UInt8>)] {
    try bytes(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated().map { (number: $0.offset + 1, bytes: $0.element) }
      .filter { !$0.bytes.allSatisfy(" \t\r".utf8.contains) }
  }

  /// A descriptor that writes at the end; the file is made if it is missing.
  package static func openAppending(_ path: String) throws(LeakFileError) -> Int32 {
    let descriptor = cws_open_appending(path)
    guard descriptor >= 0 else { throw .unwritable(file: path, reason: reason(-descriptor)) }
    return descriptor
  }

  /// Writes `text` at the end, by one `write` if the system takes it at once.
  static func append(_ text: String, to path: String) throws(LeakFileError) {
    let descriptor = try openAppending(path)
    defer { cws_close(descriptor) }
    var (text, written) = (text, 0)
    let error = text.withUTF8 { cws_write_all(descriptor, $0.baseAddress, $0.count, &written) }
    guard error == 0 else { throw .unwritable(file: path, reason: reason(error)) }
  }

  /// Writes it beside `path` and renames it: who reads that meets the old text or the new one.
  package static func replace(_ path: String, with text: String) throws(LeakFileError) {
    var text = text
    let error = text.withUTF8 { cws_replace_file(path, $0.baseAddress, $0.count) }
    guard error == 0 else { throw .unwritable(file: path, reason: reason(error)) }
  }

  package static func reason(_ error: Int32) -> String { String(cString: cws_error_text(error)) }
}

/// Why a file of leaks, or of known leaks, cannot be used.
public enum LeakFileError: Error, Hashable, Sendable {
  /// The reason is the system's.
  case unreadable(file: String, reason: String)
  /// The reason is the system's.
  case unwritable(file: String, reason: String)
  /// Not as it should be at that place; lines and columns count from 1, columns in Unicode scalars.
  case malformed(file: String, line: Int, column: Int, expected: String)
}

extension LeakFileError: CustomStringConvertible {
  /// One line, which begins with the file and the place as compilers write it.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
    case .unwritable(let file, let reason): "\(file): cannot be written: \(reason)"
    case .malformed(let file, let line, let column, let expected):
      "\(file):\(line):\(column): expected \(expected)"
    }
  }
}
