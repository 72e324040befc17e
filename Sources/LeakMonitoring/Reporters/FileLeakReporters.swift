import CShims
import WeakCollections

/// A reporter that writes each report as a line of JSON, in the format of `LeakRecord`.
///
/// A line is one `write` at the end of the file, so threads and processes may share a file. Threads
/// may also share a pipe; processes may share one if no line exceeds 4,096 bytes. After a partially
/// written line, the next report starts a new line. `leakwatch watch FILE` follows the file.
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

  /// Creates a reporter that appends to a file, and creates the file if it is missing.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened for writing.
  public convenience init(appendingTo file: String) throws(LeakFileError) {
    self.init(try LeakFile.openAppending(file), file)
  }

  /// Creates a reporter that writes to an open file descriptor, and does not close it.
  ///
  /// A pipe without a reader is a `failure` and does not end the program.
  ///
  /// - Parameter descriptor: The descriptor: 1 is standard output, 2 is standard error.
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

  /// Writes a report in any state; the first failure to write is printed to standard error.
  public func report(_ leak: LeakReport) {
    let line = LeakRecord(leak, millisecondsSince1970: now()).jsonLine + "\n"
    let failure = state.write { state -> LeakFileError? in
      // Under the lock, so that no other line follows a partial one before its line end.
      guard let failure = write(line, &state.isLineTorn) else { return nil }
      defer { state.firstFailure = state.firstFailure ?? failure }
      return state.firstFailure == nil ? failure : nil
    }
    // A failure to write must not end the program, but must be visible.
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
    // If the call wrote only the missing line end, the last line is complete.
    if written > 0 { isLineTorn = !(isLineTorn && written == 1) }
    return .unwritable(file: file ?? "descriptor \(descriptor)", reason: LeakFile.reason(error))
  }

  /// The first failure to write a report; nil if there was none.
  public var failure: LeakFileError? { state.read { $0.firstFailure } }
}

extension LeakReporter where Self == JSONLinesLeakReporter {
  /// Returns a reporter that appends a line of JSON for each report to a file.
  ///
  /// - Parameter file: The path of the file, which the reporter creates if it is missing.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened for writing.
  public static func jsonLines(
    appendingTo file: String
  ) throws(LeakFileError) -> JSONLinesLeakReporter {
    try JSONLinesLeakReporter(appendingTo: file)
  }
}

/// A reporter that collects reports and writes them as JUnit XML, a format that build servers
/// display.
///
/// A leak is a failed test case of its class, named after the finding. A late deallocation is a
/// passed test case, and an allowed or long-lived finding a skipped one. Without reports, the file
/// has one passed test case. The reporter keeps the first 20 messages of each leak, with their
/// retain paths, and the number of the other messages.
public final class JUnitLeakReporter: LeakReporter {
  private let file: String
  private let cases = MutexLock(JUnitCases())

  /// Creates a reporter; `write()` writes its file.
  ///
  /// - Parameter file: The path of the file.
  public init(file: String) {
    self.file = file
  }

  /// Collects a report.
  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    cases.write { $0.add(record) }
  }

  /// Writes the reports so far, and replaces the file atomically. Call it at the end of the run.
  ///
  /// - Throws: `LeakFileError.unwritable` if the file cannot be written.
  public func write() throws(LeakFileError) {
    try LeakFile.replace(file, with: xml)
  }

  /// The reports so far as XML, the text that `write` writes.
  public var xml: String { kept.xml }

  /// The reports so far.
  var kept: JUnitCases { cases.read { copy $0 } }
}

extension LeakReporter where Self == JUnitLeakReporter {
  /// Returns a reporter that collects reports; its `write()` writes them to a file as JUnit XML.
  ///
  /// - Parameter file: The path of the file.
  public static func jUnit(file: String) -> JUnitLeakReporter {
    JUnitLeakReporter(file: file)
  }
}
