/// One suite of tests and how they ended, as JUnit XML, which build servers show.
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
  /// For text and for attributes; what XML cannot hold becomes U+FFFD.
  fileprivate static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // As itself an attribute's would be read as a space, and a text's "\r\n" as "\n".
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// What is to be written of each leak; it grows with the different leaks alone, not with their reports.
package struct JUnitCases: Sendable {
  /// How many messages of one leak are shown.
  package static let mostMessages = 20

  /// One leak.
  package struct Case: Sendable {
    /// The first report of it as a leak, else the first.
    package private(set) var record: LeakRecord
    /// Of the first reports, with their places and the paths of their survivors.
    package private(set) var messages: [String] = []
    package private(set) var reportCount = 0
    package private(set) var hasDiedLate = false

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
  }

  package private(set) var cases: [LeakFingerprint: Case] = [:]
  package private(set) var tally = LeakTally()

  package init() {}

  package mutating func add(_ record: LeakRecord) {
    tally.add(record)
    cases[record.fingerprint, default: Case(record)].add(record)
  }
}

/// Reports as JUnit XML.
package enum JUnitText {
  package static func text(of leaks: JUnitCases) -> String {
    let cases = leaks.cases.sorted { $0.key < $1.key }.map { testCase(of: $0.value, leaks.tally) }
    let nothing = JUnitDocument.TestCase(
      className: "LeakMonitoring", name: "nothing to report", .passed())
    return JUnitDocument(suite: "leaks", cases: cases.isEmpty ? [nothing] : cases).text
  }

  private static func testCase(
    of leak: JUnitCases.Case, _ tally: LeakTally
  ) -> JUnitDocument.TestCase {
    let record = leak.record
    let whose = record.group.map { "group \($0)" } ?? nameWithoutAddresses(record.typeName)
    return JUnitDocument.TestCase(
      className: whose, name: record.finding.kind.rawValue, file: record.fileID,
      line: record.line, outcome(of: leak, tally))
  }

  private static func outcome(
    of leak: JUnitCases.Case, _ tally: LeakTally
  ) -> JUnitDocument.Outcome {
    let (message, details) = (leak.record.message, messages(of: leak))
    if tally.count(of: leak.record.fingerprint) > 0 {
      return .failed(type: "leak", message: message, details: details)
    }
    return leak.hasDiedLate
      ? .passed(output: details) : .skipped(message: message, details: details)
  }

  private static func messages(of leak: JUnitCases.Case) -> String {
    let more = leak.reportCount - leak.messages.count
    return (leak.messages + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
  }
}
