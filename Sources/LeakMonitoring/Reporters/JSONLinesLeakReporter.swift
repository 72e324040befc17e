import CShims
import WeakCollections

/// Writes each report as a line of JSON: see `LeakRecord` for what is in it.
///
/// A line is one `write` at the end of the file, so that threads and processes may share a file; of a pipe
/// that holds for lines of up to 4,096 bytes, and among threads for all. After a line that could be written
/// in part alone the next begins a line of its own. `leakwatch watch FILE` follows it.
public final class JSONLinesLeakReporter: LeakReporter {
  private let descriptor: Int32
  private let file: String?
  private let now: @Sendable () -> Int
  private let state = MutexLock(State())

  private struct State {
    var firstFailure: LeakFileError?
    /// Whether what was written last has no line end.
    var isLineTorn = false
  }

  /// Appends to a file, which is made if it is missing.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public convenience init(appendingTo file: String) throws(LeakFileError) {
    self.init(try LeakFile.openAppending(file), file)
  }

  /// Writes to what is open, which is not closed: 1 is standard output, 2 standard error. If it is a pipe
  /// that nobody reads any more, that is a `failure` and does not end the program.
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
    let line = LeakRecord(leak, millisecondsSince1970: now()).jsonLine + "\n"
    let failure = state.write { state -> LeakFileError? in
      // Under the lock, so that no other line comes between a torn one and its end.
      guard let failure = write(line, &state.isLineTorn) else { return nil }
      defer { state.firstFailure = state.firstFailure ?? failure }
      return state.firstFailure == nil ? failure : nil
    }
    // A program is not to end because its reports cannot be kept, but somebody should know.
    if let failure { cws_print_error(failure.description) }
  }

  private func write(_ line: String, _ isLineTorn: inout Bool) -> LeakFileError? {
    var text = isLineTorn ? "\n" + line : line
    var written = 0
    let error = text.withUTF8 { cws_write_all(descriptor, $0.baseAddress, $0.count, &written) }
    if error == 0 {
      isLineTorn = false
      return nil
    }
    // What ends a torn line alone is an empty line begun, and so none is torn.
    if written > 0 { isLineTorn = !(isLineTorn && written == 1) }
    return .unwritable(file: file ?? "descriptor \(descriptor)", reason: LeakFile.reason(error))
  }

  /// Why a report could not be written, the first time that happened; nil if all were. It was printed then.
  public var failure: LeakFileError? { state.read { $0.firstFailure } }
}

extension LeakReporter where Self == JSONLinesLeakReporter {
  /// A line of JSON for each report, appended to `file`.
  public static func jsonLines(
    appendingTo file: String
  ) throws(LeakFileError) -> JSONLinesLeakReporter {
    try JSONLinesLeakReporter(appendingTo: file)
  }
}
