/// A test suite and its outcomes as JUnit XML, a format that build servers display.
package struct JUnitDocument: Sendable {
  package enum Outcome: Sendable {
    case passed(output: String = "")
    case failed(type: String, message: String, details: String)
    case skipped(message: String, details: String)
  }

  package struct TestCase: Sendable {
    private let className: String
    private let name: String
    private let file: String?
    private let line: Int?
    fileprivate let outcome: Outcome

    package init(
      className: String, name: String, file: String? = nil, line: Int? = nil, _ outcome: Outcome
    ) {
      self.className = className
      self.name = name
      self.file = file
      self.line = line
      self.outcome = outcome
    }
  }

  private let suite: String
  private let cases: [TestCase]

  package init(suite: String, cases: [TestCase]) {
    self.suite = suite
    self.cases = cases
  }

  package var text: String {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    let totals = "tests=\"\(cases.count)\" failures=\"\(failures)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(totals)>
        <testsuite name="\(Self.escaped(suite))" \(totals) errors="0" skipped="\(skipped)">
      \(cases.map(\.text).joined())  </testsuite>
      </testsuites>

      """
  }
}

extension JUnitDocument.TestCase {
  fileprivate var text: String {
    let place = [("file", file), ("line", line.map { "\($0)" })]
      .compactMap { name, value in value.map { " \(name)=\"\(JUnitDocument.escaped($0))\"" } }
    let start = """
          <testcase classname="\(JUnitDocument.escaped(className))" \
      name="\(JUnitDocument.escaped(name))"\(place.joined())
      """
    guard let content = outcome.text else { return start + "/>\n" }
    return "\(start)>\n      \(content)\n    </testcase>\n"
  }
}

extension JUnitDocument.Outcome {
  fileprivate var text: String? {
    switch self {
    case .passed(""): nil
    case .passed(let output): "<system-out>\(JUnitDocument.escaped(output))</system-out>"
    case .failed(let type, let message, let details):
      """
      <failure type="\(JUnitDocument.escaped(type))" \
      message="\(JUnitDocument.escaped(message))">\(JUnitDocument.escaped(details))</failure>
      """
    case .skipped(let message, let details):
      """
      <skipped message="\(JUnitDocument.escaped(message))">\
      \(JUnitDocument.escaped(details))</skipped>
      """
    }
  }
}

extension JUnitDocument {
  /// Escapes text for elements and attributes; characters that XML excludes become U+FFFD.
  fileprivate static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // An XML parser turns these, if unescaped, into a space in attributes, and "\r\n" into "\n"
      // in text.
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// The leaks of a run as JUnit test cases.
///
/// The size grows with the number of distinct leaks, not with the number of reports.
package struct JUnitCases: Sendable {
  /// The maximum number of messages shown for one leak.
  private static let mostMessages = 20

  package struct Case: Sendable {
    /// The first report of the leak whose state is a failure, or else its first report.
    package private(set) var record: LeakRecord
    /// The first messages, with their places and the retain paths of their survivors.
    package private(set) var messages: [String] = []
    package private(set) var reportCount = 0
    private var hasDiedLate = false

    fileprivate init(_ record: LeakRecord) {
      self.record = record
    }

    fileprivate mutating func add(_ record: LeakRecord) {
      if record.state.isFailure, !self.record.state.isFailure { self.record = record }
      if messages.count < mostMessages {
        let paths = record.survivors.compactMap(\.path?.text)
        let message = "\(record.fileID):\(record.line): \(record.message)"
        messages.append(([message] + paths).joined(separator: "\n"))
      }
      reportCount += 1
      if record.state == .late { hasDiedLate = true }
    }

    /// Returns the leak as a test case: failed if instances are still leaked, passed if they were
    /// deallocated late, else skipped.
    ///
    /// - Parameter isLeaked: Whether instances are still leaked at the end of the run.
    fileprivate func testCase(isLeaked: Bool) -> JUnitDocument.TestCase {
      let more = reportCount - messages.count
      let details = (messages + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
      let outcome: JUnitDocument.Outcome =
        if isLeaked {
          .failed(type: "leak", message: record.message, details: details)
        } else if hasDiedLate {
          .passed(output: details)
        } else {
          .skipped(message: record.message, details: details)
        }
      return JUnitDocument.TestCase(
        className: LeakFingerprint.subject(typeName: record.typeName, group: record.group),
        name: record.finding.kind.rawValue, file: record.fileID, line: record.line, outcome)
    }
  }

  package private(set) var cases: [LeakFingerprint: Case] = [:]
  private var tally = LeakTally()

  package init() {}

  package mutating func add(_ record: LeakRecord) {
    tally.add(record)
    cases[record.fingerprint, default: Case(record)].add(record)
  }

  /// The document, sorted by fingerprint; without leaks it has one test case, which passed.
  package var xml: String {
    let cases = cases.sorted { $0.key < $1.key }.map { fingerprint, leak in
      leak.testCase(isLeaked: tally.count(of: fingerprint) > 0)
    }
    let nothing = JUnitDocument.TestCase(
      className: "LeakMonitoring", name: "nothing to report", .passed())
    return JUnitDocument(suite: "leaks", cases: cases.isEmpty ? [nothing] : cases).text
  }
}
