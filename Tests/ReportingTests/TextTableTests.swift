import TerminalIO
import Testing

@testable import Charts

@Suite struct TextTableTests {
  @Test func `a table lines up, whatever the letters`() {
    let table = TextTable(
      columns: [.init(title: "A"), .init(title: "B", alignment: .right), .init()],
      rows: [["x", "1"], ["–★≈", "100", "end"]])
    #expect(table.lines == ["A      B", "x      1", "–★≈  100  end"])
  }

  @Test func `what names bring along ends no cell`() {
    let table = TextTable(columns: [.init(), .init()], rows: [["a\u{1B}[2Jb", "c\nd"]])
    #expect(table.lines == ["a [2Jb  c d"])
    let markdown = MarkdownTable(
      columns: [.init(title: "A"), .init(title: "B")], rows: [["a|b", "<img>\n"]])
    #expect(markdown.text == "| A | B |\n| --- | --- |\n| a\\|b | &lt;img>  |\n")
  }
}
