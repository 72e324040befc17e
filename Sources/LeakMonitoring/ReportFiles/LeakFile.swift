import CWeakShims

/// Whole files of text. The core has no Foundation: a program that watches for leaks need not link it.
package enum LeakFile {
  static func bytes(of path: String) throws(LeakFileError) -> [UInt8] {
    var (start, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    let error = cws_read_file(path, &start, &count)
    guard error == 0 else { throw .unreadable(file: path, reason: reason(error)) }
    defer { cws_free(start) }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Writes it beside `path` and renames it: who reads that meets the old text or the new one.
  package static func replace(_ path: String, with text: String) throws(LeakFileError) {
    var text = text
    let error = text.withUTF8 { cws_replace_file(path, $0.baseAddress, $0.count) }
    guard error == 0 else { throw .unwritable(file: path, reason: reason(error)) }
  }

  static func reason(_ error: Int32) -> String { String(cString: cws_error_text(error)) }
}
