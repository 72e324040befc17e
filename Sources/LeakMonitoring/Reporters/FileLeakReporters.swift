import CShims
import WeakCollections

/// A reporter that writes each report as a line of JSON, in the format of `LeakRecord`.
///
/// A line is one `write` at the end of the file, so threads and processes may share a file. Threads
/// may also share a pipe; processes may share one if no line exceeds 4,096 bytes. After a partially
/// written line, the next report starts a new line. `leakwatch watch FILE` follows the file.
///
/// The file can be rotated: by the reporter, at a size, or by another program, such as logrotate,
/// which renames or deletes the file. The next report then creates a new one.
public final class JSONLinesLeakReporter: LeakReporter {
  private let file: String?
  /// The size at which to rotate the file, and the number of older files to keep.
  private let rotation: (byteLimit: Int, kept: Int)?
  private let now: @Sendable () -> Int
  private let state: MutexLock<State>

  private struct State {
    var descriptor: Int32
    var firstFailure: LeakFileError?
    /// Whether the last line has no line end.
    var isLineTorn = false
  }

  /// Creates a reporter that appends to a file, and creates the file if it is missing.
  ///
  /// Before a line would make the file larger than the limit, the reporter renames `leaks.jsonl` to
  /// `leaks.jsonl.1`, `leaks.jsonl.1` to `leaks.jsonl.2` and so on, and deletes the oldest. Several
  /// processes with the same limit may share the file. A single line may be longer than the limit.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - byteLimit: The size at which to rotate the file, in bytes; nil for no rotation. Traps
  ///     unless it is positive.
  ///   - kept: The number of older files to keep. Traps unless it is positive.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened for writing.
  public convenience init(
    appendingTo file: String, rotatingAt byteLimit: Int? = nil, keeping kept: Int = 4
  ) throws(LeakFileError) {
    guard byteLimit ?? 1 > 0 else {
      fatalError("the size of a file must be positive, got \(byteLimit ?? 0)")
    }
    guard kept > 0 else { fatalError("the number of older files must be positive, got \(kept)") }
    self.init(
      try LeakFile.openAppending(file), file, rotation: byteLimit.map { ($0, kept) })
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
    _ descriptor: Int32, _ file: String?, rotation: (byteLimit: Int, kept: Int)? = nil,
    now: @escaping @Sendable () -> Int = { LeakRecord.now }
  ) {
    state = MutexLock(State(descriptor: descriptor))
    self.file = file
    self.rotation = rotation
    self.now = now
  }

  deinit {
    if file != nil { state.read { cws_close($0.descriptor) } }
  }

  /// Writes a report in any state; the first failure to write is printed to standard error.
  public func report(_ leak: LeakReport) {
    let line = LeakRecord(leak, millisecondsSince1970: now()).jsonLine + "\n"
    let failure = state.write { state -> LeakFileError? in
      // Writes under the lock, so that no other line follows a partially written one on the same
      // line.
      let unprepared = prepareFile(forByteCount: line.utf8.count, &state)
      guard let failure = write(line, &state) ?? unprepared else { return nil }
      defer { state.firstFailure = state.firstFailure ?? failure }
      return state.firstFailure == nil ? failure : nil
    }
    // A failure to write must not end the program, but must be visible.
    if let failure { cws_print_error(failure.description) }
  }

  /// Rotates the file if the next line would make it too large, and creates a new one if the path
  /// does not name the open file any more. If that fails, the open file stays in use.
  private func prepareFile(
    forByteCount count: Int, _ state: inout State
  ) -> LeakFileError? {
    guard let file else { return nil }
    var failure: LeakFileError?
    let size = cws_file_size(state.descriptor)
    if let rotation, size > 0, size + count > rotation.byteLimit {
      let error = cws_rotate_file(state.descriptor, file, Int32(clamping: rotation.kept))
      if error != 0 { failure = .unwritable(file: file, reason: LeakFile.reason(error)) }
    }
    if cws_is_at_path(state.descriptor, file) { return failure }
    do {
      let descriptor = try LeakFile.openAppending(file)
      cws_close(state.descriptor)
      state.descriptor = descriptor
      state.isLineTorn = false
    } catch {
      failure = failure ?? error
    }
    return failure
  }

  private func write(_ line: String, _ state: inout State) -> LeakFileError? {
    var text = state.isLineTorn ? "\n" + line : line
    var written = 0
    let error = text.withUTF8 {
      cws_write_all(state.descriptor, $0.baseAddress, $0.count, &written)
    }
    if error == 0 {
      state.isLineTorn = false
      return nil
    }
    // If the call wrote only the missing line end, the last line is complete.
    if written > 0 { state.isLineTorn = !(state.isLineTorn && written == 1) }
    return .unwritable(
      file: file ?? "descriptor \(state.descriptor)", reason: LeakFile.reason(error))
  }

  /// The first failure to write a report; nil if there was none.
  public var failure: LeakFileError? { state.read { $0.firstFailure } }
}

extension LeakReporter where Self == JSONLinesLeakReporter {
  /// Returns a reporter that appends a line of JSON for each report to a file.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which the reporter creates if it is missing.
  ///   - byteLimit: The size at which to rotate the file, in bytes; nil for no rotation.
  ///   - kept: The number of older files to keep.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened for writing.
  public static func jsonLines(
    appendingTo file: String, rotatingAt byteLimit: Int? = nil, keeping kept: Int = 4
  ) throws(LeakFileError) -> JSONLinesLeakReporter {
    try JSONLinesLeakReporter(appendingTo: file, rotatingAt: byteLimit, keeping: kept)
  }
}

/// A reporter that collects reports and writes them as JUnit XML, a format that build servers
/// display.
///
/// A leak is a failed test case of its class, named after the finding. A late deallocation is a
/// passed test case, and an allowed or long-lived finding a skipped one. If there were no reports,
/// the file has one passed test case. The reporter keeps the first 20 messages of each leak, with
/// their retain paths, and the number of the other messages.
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
