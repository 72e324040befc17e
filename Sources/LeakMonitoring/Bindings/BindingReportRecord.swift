/// A report of bindings as a file holds it, and when it was made.
///
/// As JSON it is one line: `{"schema":1,"time":…,"bindings":[…]}`, with the time in milliseconds since 1970. A binding
/// has these names, in this order; those without a value are left out, and later versions may add others:
///
/// | name | what it says |
/// |---|---|
/// | `count` | of how many bindings the same can be said |
/// | `state` | `bound`, `surviving`, `abandoned`, `released` or `unmatched` |
/// | `viewModel`, `controller`, `name` | the classes, and what it was named |
/// | `viewModelIsAlive`, `controllerIsAlive` | whether they lived |
/// | `isDoublyBound` | whether it was bound while it was bound |
/// | `file`, `line` | where it was first bound, or unbound if it never was |
public struct BindingReportRecord: Sendable, Equatable {
  public var millisecondsSince1970: Int
  public var report: BindingReport

  public init(_ report: BindingReport, millisecondsSince1970: Int) {
    self.report = report
    self.millisecondsSince1970 = millisecondsSince1970
  }
}

extension BindingReport {
  /// Appends this and the time to `file` as a line of JSON: see `BindingReportRecord`.
  ///
  /// The file is made if it is missing. It is one `write`, so that threads and processes may share the file.
  public func append(toFile file: String) throws(LeakFileError) {
    let record = BindingReportRecord(self, millisecondsSince1970: LeakRecord.now)
    try LeakFile.append(record.jsonLine + "\n", to: file)
  }

  /// Whether there is nothing to mend: all that is over was undone, once and as it was bound.
  ///
  /// What is still bound may be in use; see `unreleased`.
  public var isWithoutMistakes: Bool {
    counts.keys.allSatisfy { record in
      (record.state == .bound || record.state == .released) && !record.isDoublyBound
    }
  }
}
