import LeakReports
import RuntimeInspection

/// Reports as JUnit XML.
enum JUnitText {
  static func text(of leaks: JUnitCases) -> String {
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
