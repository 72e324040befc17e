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
