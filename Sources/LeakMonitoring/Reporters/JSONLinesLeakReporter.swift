import CWeakShims
import Primitives

/// Writes each report as a line of JSON: see `LeakRecord` for what is in it.
///
/// A line is one `write` at the end of the file, so that threads and processes may share a file; of a pipe
/// that holds for lines of up to 4,096 bytes. `weakbench monitor FILE` follows it.
public final class JSONLinesLeakReporter: LeakReporter {
  private let descriptor: Int32
  private let file: String?
  private let now: @Sendable () -> Int
  private let firstFailure = Mutex<LeakFileError?>(nil)

  /// Appends to a file, which is made if it is missing.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public convenience init(appendingTo file: String) throws(LeakFileError) {
    let descriptor = cws_open_appending(file)
    guard descriptor >= 0 else {
      throw .unwritable(file: file, reason: LeakFile.reason(-descriptor))
    }
    self.init(descriptor, file)
  }

  /// Writes to what is open, which is not closed: 1 is standard output, 2 standard error.
  public convenience init(descriptor: Int32) {
    self.init(descriptor, nil)
  }

  init(
    _ descriptor: Int32, _ file: String?,
    now: @escaping @Sendable () -> Int = { LeakRecord.now }
  ) {
    self.descriptor = descriptor
    self.file = file
    self.now = now
  }

  deinit {
    if file != nil { cws_close(descriptor) }
  }

  public func report(_ leak: LeakReport) {
    var line = LeakRecord(leak, millisecondsSince1970: now()).jsonLine + "\n"
    let error = line.withUTF8 { cws_write_all(descriptor, $0.baseAddress, $0.count) }
    guard error != 0 else { return }
    let name = file ?? "descriptor \(descriptor)"
    let failure = LeakFileError.unwritable(file: name, reason: LeakFile.reason(error))
    let isFirst = firstFailure.withLock { first in
      defer { first = first ?? failure }
      return first == nil
    }
    // A program is not to end because its reports cannot be kept, but somebody should know.
    if isFirst { cws_print_error(failure.description) }
  }

  /// Why a report could not be written, the first time that happened; nil if all were. It was printed then.
  public var failure: LeakFileError? { firstFailure.withLock { $0 } }
}

extension LeakReporter where Self == JSONLinesLeakReporter {
  /// A line of JSON for each report, appended to `file`.
  public static func jsonLines(
    appendingTo file: String
  ) throws(LeakFileError) -> JSONLinesLeakReporter {
    try JSONLinesLeakReporter(appendingTo: file)
  }
}
