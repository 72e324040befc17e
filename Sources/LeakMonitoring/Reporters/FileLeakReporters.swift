import CShims
import WeakCollections

/// Writes each report as a line of JSON, in the format of `LeakRecord`.
///
/// A line is one `write` at the end of the file, so threads and processes may share a file. Threads
/// may share a pipe too, and processes for lines of up to 4,096 bytes. After a line that could be
/// written only in part, the next report starts a new line. `leakwatch watch FILE` follows the
/// file.
public final class JSONLinesLeakReporter: LeakReporter {
  private let descriptor: Int32
  private let file: String?
  private let now: @Sendable () -> Int
  private let state = MutexLock(State())

  private struct State {
    var firstFailure: LeakFileError?
    /// Whether the last line has no line end.
    var isLineTorn = false
  }

  /// Creates a reporter that appends to `file`, which it creates if it is missing.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public convenience init(appendingTo file: String) throws(LeakFileError) {
    self.init(try LeakFile.openAppending(file), file)
  }

  /// Creates a reporter that writes to an open descriptor and does not close it: 1 is standard
  /// output, 2 standard error. A pipe without a reader is a `failure` and does not end the program.
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
    // A failure to write reports must not end the program, but must be visible.
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
    // If only the line end of a torn line was written, no line is torn any more.
    if written > 0 { isLineTorn = !(isLineTorn && written == 1) }
    return .unwritable(file: file ?? "descriptor \(descriptor)", reason: LeakFile.reason(error))
  }

  /// The first failure to write a report, which was printed then; nil if there was none.
  public var failure: LeakFileError? { state.read { $0.firstFailure } }
}

extension LeakReporter where Self == JSONLinesLeakReporter {
  /// Appends a line of JSON for each report to `file`.
  public static func jsonLines(
    appendingTo file: String
  ) throws(LeakFileError) -> JSONLinesLeakReporter {
    try JSONLinesLeakReporter(appendingTo: file)
  }
}

/// Collects reports and writes them as JUnit XML, which build servers display.
///
/// A leak is a failed test case of its class, named after the finding. A late deallocation is a
/// passed test case; an allowed or long-lived finding is skipped. Without reports, one test case
/// has passed. The reporter keeps the first 20 messages of each leak, with their retain paths, and
/// the number of the others.
public final class JUnitLeakReporter: LeakReporter {
  private let file: String
  private let cases = MutexLock(JUnitCases())

  /// - Parameter file: The file that `write` writes.
  public init(file: String) {
    self.file = file
  }

  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    cases.write { $0.add(record) }
  }

  /// Writes the reports so far, and replaces the file atomically. Call it at the end of the run.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public func write() throws(LeakFileError) {
    try LeakFile.replace(file, with: xml)
  }

  /// The text that `write` writes.
  public var xml: String { kept.xml }

  /// The reports so far.
  var kept: JUnitCases { cases.read { copy $0 } }
}

extension LeakReporter where Self == JUnitLeakReporter {
  /// Collects reports as JUnit XML, which its `write()` writes to `file`.
  public static func jUnit(file: String) -> JUnitLeakReporter {
    JUnitLeakReporter(file: file)
  }
}
