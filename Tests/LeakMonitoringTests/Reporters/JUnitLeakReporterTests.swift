import Foundation
import Testing

@testable import LeakMonitoring

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct JUnitLeakReporterTests {
  @Test func `a leak fails, a late deallocation passes, an allowed leak is skipped`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.xml", containing: "old")
    let reporter = JUnitLeakReporter(file: path)
    reporter.report(.example(live: 2))
    reporter.report(.example(live: 3))
    reporter.report(.example(type: "App.Late"))
    reporter.report(.example(.late, type: "App.Late"))
    let known = LeakReport.example(.allowed, type: "App.Known", group: "Checkout")
    reporter.report(known)
    try reporter.write()
    #expect(
      try files.text(of: "leaks.xml") == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="3" failures="1">
          <testsuite name="leaks" tests="3" failures="1" errors="0" skipped="1">
            <testcase classname="App.Late" name="excess" file="App/Session.swift" line="7">
              <system-out>\(place): \(message("App.Late"))&#10;\(place): Session: the excess \
        instances of App.Late were deallocated after the grace period</system-out>
            </testcase>
            <testcase classname="App.Session" name="excess" file="App/Session.swift" line="7">
              <failure type="leak" message="\(message("App.Session"))">\(place): \(message("App.Session"))\
        &#10;\(place): \(message("App.Session", 3))</failure>
            </testcase>
            <testcase classname="group Checkout" name="excess" file="App/Session.swift" line="7">
              <skipped message="\(known.message)">\(place): \(known.message)</skipped>
            </testcase>
          </testsuite>
        </testsuites>

        """)
    let names = try files.names
    #expect(names == ["leaks.xml"])
  }

  @Test func `3.1 a leak that a running task retains fails, and precedes allowed ones`() {
    let reporter = JUnitLeakReporter(file: "")
    reporter.report(.example(.allowed))
    reporter.report(.example(.retainedByRunningTask))
    #expect(reporter.xml.contains("failures=\"1\""))
    #expect(reporter.xml.contains("at most 1, retained by a running task; if"))
    #expect(reporter.kept.cases.values.map(\.record.state) == [.retainedByRunningTask])
  }

  @Test func `without a report there is one passed test`() throws {
    let xml = JUnitLeakReporter(file: "").xml
    #expect(xml.contains("tests=\"1\" failures=\"0\""))
    let names = try elements(of: xml).map(\.name)
    #expect(names == ["testsuites", "testsuite", "testcase"])
  }

  @Test func `hostile names do not change the structure of the document`() throws {
    let hostile = "a\"><failure/>&amp;<![CDATA[\u{0}\u{1B}]]>\r\n'é😀\u{FFFE}"
    let reporter = JUnitLeakReporter(file: "")
    reporter.report(.example(type: hostile, description: hostile, group: hostile))
    let elements = try elements(of: reporter.xml)
    #expect(elements.map(\.name) == ["testsuites", "testsuite", "testcase", "failure"])
    let readable = "a\"><failure/>&amp;<![CDATA[\u{FFFD}\u{FFFD}]]>\r\n'é😀\u{FFFD}"
    #expect(elements[2].attributes["classname"] == "group \(readable)")
    #expect(elements[3].attributes["message"]?.contains(readable) == true)
  }

  @Test func `the messages of a leak with many reports are limited`() {
    let reporter = JUnitLeakReporter(file: "")
    for live in 2..<102 { reporter.report(.example(live: live)) }
    #expect(reporter.xml.contains("&#10;and 80 more</failure>"))
  }

  @Test func `stored data does not grow with the reports, and has their outcome`() throws {
    let reporter = JUnitLeakReporter(file: "")
    for _ in 0..<30 { reporter.report(.example(.allowed, live: 9)) }
    for live in 2..<102 { reporter.report(.example(live: live)) }
    let kept = try #require(reporter.kept.cases.values.first)
    #expect(reporter.kept.cases.count == 1 && kept.messages.count == 20)
    #expect(kept.reportCount == 130 && kept.record.state == .leaked && kept.record.liveCount == 2)
    for live in 2..<102 { reporter.report(.example(.late, live: live)) }
    #expect(reporter.xml.contains("failures=\"0\" errors=\"0\" skipped=\"0\""))
  }

  @Test func `a file that cannot be written throws, and no file is left`() {
    #expect(throws: LeakFileError.self) { try JUnitLeakReporter(file: "/none/a.xml").write() }
  }

  private let place = "App/Session.swift:7"

  private func message(_ type: String, _ live: Int = 2) -> String {
    "Session: \(live) instances of \(type) are alive, expected at most 1; if one is about to be "
      + "deallocated, as in a reassignment, use validate(self, grace: .seconds(1)) "
      + "or MemoryLeakMonitor.policy = .graced()"
  }

  private func elements(
    of xml: String
  ) throws -> [(name: String, attributes: [String: String])] {
    let collector = ElementCollector()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = collector
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return collector.elements
  }
}

private final class ElementCollector: NSObject, XMLParserDelegate {
  var elements: [(name: String, attributes: [String: String])] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    elements.append((name, attributes))
  }
}
