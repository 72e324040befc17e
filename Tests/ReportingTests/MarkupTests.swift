import Reporting
import Testing

@testable import Charts

@Suite struct MarkupTests {
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
