/// Reports as JUnit XML.
enum JUnitText {
  private enum Outcome {
    case passed, failed, skipped
  }

  static func text(of leaks: JUnitCases) -> String {
    let outcomes = leaks.cases.mapValues { outcome(of: $0, leaks.tally) }
    let cases = leaks.cases.sorted { $0.key < $1.key }.map { fingerprint, leak in
      testCase(of: leak, outcomes[fingerprint]!)
    }
    let passed = "    <testcase classname=\"LeakMonitoring\" name=\"nothing to report\"/>\n"
    let failures = outcomes.values.count { $0 == .failed }
    let skipped = outcomes.values.count { $0 == .skipped }
    let totals = "tests=\"\(max(1, cases.count))\" failures=\"\(failures)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(totals)>
        <testsuite name="leaks" \(totals) errors="0" skipped="\(skipped)">
      \(cases.isEmpty ? passed : cases.joined())  </testsuite>
      </testsuites>

      """
  }

  private static func outcome(of leak: JUnitCases.Case, _ tally: LeakTally) -> Outcome {
    if tally.count(of: leak.record.fingerprint) > 0 { return .failed }
    return leak.hasDiedLate ? .passed : .skipped
  }

  private static func testCase(of leak: JUnitCases.Case, _ outcome: Outcome) -> String {
    let record = leak.record
    let whose = record.group.map { "group \($0)" } ?? TypeName.withoutAddresses(record.typeName)
    let element =
      switch outcome {
      case .passed: ("system-out", "")
      case .failed: ("failure", " type=\"leak\" message=\"\(escaped(record.message))\"")
      case .skipped: ("skipped", " message=\"\(escaped(record.message))\"")
      }
    return """
          <testcase classname="\(escaped(whose))" \
      name="\(record.finding.kind.rawValue)" file="\(escaped(record.fileID))" line="\(record.line)">
            <\(element.0)\(element.1)>\(escaped(messages(of: leak)))</\(element.0)>
          </testcase>

      """
  }

  private static func messages(of leak: JUnitCases.Case) -> String {
    let more = leak.reportCount - leak.messages.count
    return (leak.messages + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
  }

  /// For text and for attributes; what XML cannot hold becomes U+FFFD.
  private static func escaped(_ text: String) -> String {
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
