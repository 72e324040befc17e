import Testing

@testable import benchlab

@Suite struct MutantsTableTests {
  private static func row(_ name: String, finding: String?) -> MutantsTable.Row {
    MutantsTable.Row(
      name: name, part: "contract", defect: "what \(name) breaks", tool: "stress on threads",
      finding: finding, executions: 1234, seconds: 0.5,
      replay: finding.map { _ in "weakbench stress --backend \(name)" })
  }

  private static let fine = MutantsTable(
    mutants: [row("bug", finding: "bug dictionary: not linearizable: no order")],
    equivalents: [row("weaker", finding: nil)], originals: [row("mutex", finding: nil)])

  @Test func `all is fine when the mutants are caught and nothing else is`() {
    #expect(Self.fine.isFine)
    #expect(Self.fine.summary.hasPrefix("1 of 1 mutants caught, 1 of 1 hunts"))
  }

  @Test func `a mutant that escapes, or a finding in the code as it is, is not fine`() {
    var escaped = Self.fine
    escaped.mutants.append(Self.row("other", finding: nil))
    #expect(!escaped.isFine)
    var accused = Self.fine
    accused.originals[0].finding = "mutex dictionary: hang: not all threads ended"
    #expect(!accused.isFine)
    var strengthened = Self.fine
    strengthened.equivalents[0].finding = "weaker dictionary: hang: not all threads ended"
    #expect(!strengthened.isFine)
  }

  @Test func `a row says what is broken, who found what, and how to repeat it`() {
    let text = Self.fine.text(as: .text)
    let line = text.split(separator: "\n").first { $0.hasPrefix("bug ") } ?? ""
    for part in ["what bug breaks", "stress on threads", "1,234", "0.50", "not linearizable"] {
      #expect(line.contains(part))
    }
    #expect(!line.contains("no order"))
    #expect(text.contains("weakbench stress --backend bug"))
  }

  @Test func `no part is shown empty`() {
    var caught = Self.fine
    caught.equivalents = []
    let text = caught.text(as: .text)
    #expect(!text.contains("Break nothing:"))
    #expect(text.contains("As it is:"))
  }

  @Test func `the page has a table for each kind of hunt`() {
    let page = Self.fine.text(as: .markdown)
    #expect(page.hasPrefix("# Mutants\n"))
    for name in ["| bug |", "| weaker |", "| `mutex` |"] { #expect(page.contains(name)) }
    let tables = page.split(separator: "\n").filter { $0.hasPrefix("| ---") }
    #expect(tables.count == 3)
  }
}
