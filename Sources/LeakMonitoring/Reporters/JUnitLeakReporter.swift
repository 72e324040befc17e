import WeakCollections

/// Keeps what it is told, and writes it as JUnit XML, which build servers show.
///
/// A leak is a failed test case of its class, named by what was seen; one that died late is passed, one that
/// is allowed or long-lived is skipped. If there was nothing to report, one test case has passed. Of each
/// leak the first 20 messages are kept, with the retain paths that were looked for, and the number of the others.
public final class JUnitLeakReporter: LeakReporter {
  private let file: String
  private let cases = MutexLock(JUnitCases())

  /// - Parameter file: where `write` writes to.
  public init(file: String) {
    self.file = file
  }

  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    cases.write { $0.add(record) }
  }

  /// Writes what was reported until now, to be called at the end of the run. The file is written beside
  /// and renamed: what was there is replaced as a whole or not at all.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public func write() throws(LeakFileError) {
    try LeakFile.replace(file, with: xml)
  }

  /// What `write` writes.
  public var xml: String { JUnitText.text(of: kept) }

  /// What was reported until now.
  var kept: JUnitCases { cases.read { copy $0 } }
}

extension LeakReporter where Self == JUnitLeakReporter {
  /// JUnit XML, which `write()` of it writes to `file`.
  public static func jUnit(file: String) -> JUnitLeakReporter {
    JUnitLeakReporter(file: file)
  }
}
