import CShims

/// A failure to read or write a report file or a baseline.
public enum LeakFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system cannot read the file; `reason` is the system's error message.
  case unreadable(file: String, reason: String)
  /// The system cannot write the file; `reason` is the system's error message.
  case unwritable(file: String, reason: String)
  /// The text at `line` and `column` is not what the format requires.
  ///
  /// Lines and columns count from 1, columns in Unicode scalars.
  case malformed(file: String, line: Int, column: Int, expected: String)

  /// The error on one line that starts with the file and the place, in the form of a compiler's
  /// message.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
    case .unwritable(let file, let reason): "\(file): cannot be written: \(reason)"
    case .malformed(let file, let line, let column, let expected):
      "\(file):\(line):\(column): expected \(expected)"
    }
  }
}

/// Functions that read text files, append to them and replace them.
package enum LeakFile {
  static func bytes(of path: String) throws(LeakFileError) -> [UInt8] {
    var (start, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    let error = cws_read_file(path, &start, &count)
    guard error == 0 else { throw .unreadable(file: path, reason: reason(error)) }
    defer { cws_free(start) }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Reads a JSON Lines file, skipping empty lines; throws at the first line that `body` rejects.
  static func records<Record>(
    of path: String, _ body: (JSONNode) throws(JSONError) -> Record
  ) throws(LeakFileError) -> [Record] {
    var records: [Record] = []
    let lines = try bytes(of: path)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) where !line.allSatisfy(" \t\r".utf8.contains) {
      records.append(try JSONParser.read(Array(line), of: path, firstLine: number, body))
    }
    return records
  }

  /// Opens a file for appending, and creates it if it is missing; returns the descriptor.
  package static func openAppending(_ path: String) throws(LeakFileError) -> Int32 {
    let descriptor = cws_open_appending(path)
    guard descriptor >= 0 else { throw .unwritable(file: path, reason: reason(-descriptor)) }
    return descriptor
  }

  /// Appends `text` with one `write`, and with more only if the system writes it partially.
  static func append(_ text: String, to path: String) throws(LeakFileError) {
    let descriptor = try openAppending(path)
    defer { cws_close(descriptor) }
    var (text, written) = (text, 0)
    let error = text.withUTF8 { cws_write_all(descriptor, $0.baseAddress, $0.count, &written) }
    guard error == 0 else { throw .unwritable(file: path, reason: reason(error)) }
  }

  /// Replaces the file atomically: a reader sees the old text or the new text.
  package static func replace(_ path: String, with text: String) throws(LeakFileError) {
    var text = text
    let error = text.withUTF8 { cws_replace_file(path, $0.baseAddress, $0.count) }
    guard error == 0 else { throw .unwritable(file: path, reason: reason(error)) }
  }

  package static func reason(_ error: Int32) -> String { String(cString: cws_error_text(error)) }
}
