import Testing

@testable import Charts

@Suite struct MarkupTests {
  @Test func `an element escapes its text and its attributes`() {
    let name = "\"><script>"
    #expect(
      Markup("p", ["id": name, "class": nil], "a < b & \(name)").rendered
        == "<p id=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &quot;&gt;&lt;script&gt;</p>")
    #expect(Markup("td", Markup("b", "1"), "2").rendered == "<td><b>1</b>2</td>")
  }

  @Test func `lines are those that are not empty, and an element without content closes itself`() {
    let lines = Markup("g", lines: [.empty, Markup("path", ["d": "M0 0"]), "a", .empty])
    #expect(lines.rendered == "<g>\n<path d=\"M0 0\"/>\na\n</g>")
    #expect(Markup("th", "").rendered == "<th></th>")
  }

  @Test func `text stays text`() {
    #expect("a<b> & \"c\" 'd'".escapedForMarkup == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;")
    #expect("🦀 é –".escapedForMarkup == "🦀 é –")
  }

  @Test func `a mark that combines with a quotation mark does not hide it`() {
    let text = "\"\u{301}<\u{301}".escapedForMarkup
    #expect(!text.unicodeScalars.contains("\""))
    #expect(!text.unicodeScalars.contains("<"))
  }

  @Test func `what XML cannot hold or turns text around is replaced, and a line stays one`() {
    #expect("a\u{0}b\u{7}c\u{FFFF}".escapedForMarkup == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    #expect("\u{202E}fdp.exe".escapedForMarkup == "\u{FFFD}fdp.exe")
    #expect("a\r\nb\tc".escapedForMarkup == "a  b c")
  }
}

@Suite struct ChartSheetTests {
  @Test func `a sheet is wide enough for the line above its charts`() {
    let subtitle = String(repeating: "m", count: 100)
    let sheet = ChartSheet(title: "dictionary", subtitle: subtitle, rows: [])
    #expect(sheet.svg.contains("width=\"732\""))
  }
}
