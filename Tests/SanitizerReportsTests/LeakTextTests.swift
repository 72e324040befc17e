import Foundation
import SanitizerReports
import Testing

@Suite struct LeakTextTests {
  @Test func `a leak is reported with its class and the frames of the package`() {
    #expect(
      LeakText(screens, in: package, showsAllFrames: false).text(.leaks) == """
        leak: Screen, 2 objects, 64 bytes
          Screen.__allocating_init() at Sources/App/My "Screen".swift
          open() at Sources/App/My "Screen".swift:12:16
          and 3 other frames; --verbose shows them

        leaked: 2 objects, 64 bytes, from 1 stack

        """)
    let all = LeakText(screens, in: package, showsAllFrames: true).text(.leaks)
    #expect(all.contains("  run() at .build/checkouts/loop/Loop.swift:7:1\n"))
    #expect(!all.contains("--verbose"))
  }

  @Test func `a leak without frames of the package is reported with its allocation`() {
    let elsewhere = LeakText(screens, in: SourceRoot("/other"), showsAllFrames: false)
    #expect(elsewhere.text(.leaks).contains("  swift_allocObject at /usr/lib/libswiftCore.so\n"))
    let buffer = report(
      """
      Direct leak of 1 byte(s) in 1 object(s) allocated from:
          #0 0x1 in malloc /build/malloc.cpp:1:2
          #1 0x2 in read file.c
          #2 0x3 (/usr/lib/libc.so+0x4)
      """)
    let text = LeakText(buffer, in: package, showsAllFrames: false).text(.leaks)
    #expect(text.hasPrefix("leak: memory allocated in read, 1 object, 1 byte\n"))
    #expect(text.contains("  read at file.c\n  an unnamed function at /usr/lib/libc.so\n"))
  }

  @Test func `memory that an initializer's callee allocates is no instance of the class`() {
    let buffer = report(
      """
      Direct leak of 64 byte(s) in 1 object(s) allocated from:
          #0 0x1 in malloc /build/malloc.cpp:1:2
          #1 0x2 in swift_allocObject (/usr/lib/libswiftCore.so+0x46fdc6)
          #2 0x3 in Buffer.create() /package/Sources/App/Buffer.swift:3:4
          #3 0x4 in Screen.__allocating_init() /package/Sources/App/Screen.swift:5:6
      """)
    #expect(buffer.leaks.first?.typeName == nil)
    let text = LeakText(buffer, in: package, showsAllFrames: false).text(.leaks)
    #expect(text.hasPrefix("leak: memory allocated in Buffer.create(), 1 object, 64 bytes\n"))
  }

  @Test func `side tables are reported in one line`() throws {
    let report = try report(sample("swift-testing"))
    let text = LeakText(report, in: package, showsAllFrames: false).text(.leaks)
    #expect(
      text.hasSuffix(
        "\n(also 1 object, 32 bytes of side tables of weak references, which are not leaks)\n"))
  }

  @Test func `JUnit has a failed test case for each leak`() {
    let stack = [
      "Screen, 2 objects, 64 bytes", "malloc /build/asan_malloc_linux.cpp:67:3",
      "swift_allocObject /usr/lib/libswiftCore.so",
      "Screen.__allocating_init() Sources/App/My &quot;Screen&quot;.swift",
      "open() Sources/App/My &quot;Screen&quot;.swift:12:16",
      "run() .build/checkouts/loop/Loop.swift:7:1",
    ]
    #expect(
      screens.jUnit(.leaks, in: package) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="1" failures="1">
          <testsuite name="leaks" tests="1" failures="1" errors="0" skipped="0">
            <testcase classname="Screen" name="leak" \
        file="Sources/App/My &quot;Screen&quot;.swift" line="12">
              <failure type="leak" message="Screen, 2 objects, 64 bytes">\
        \(stack.joined(separator: "&#10;"))</failure>
            </testcase>
          </testsuite>
        </testsuites>

        """)
    let clean = SanitizerReport().jUnit(.clean, in: package)
    #expect(clean.contains("<testcase classname=\"findleaks\" name=\"no leak\"/>"))
    let unknown = SanitizerReport().jUnit(.undecided("no test ran"), in: package)
    #expect(unknown.contains("<failure type=\"undecided\" message=\"no test ran\">"))
  }

  @Test func `SARIF has a result for each leak, at the package's first line, with its stack`()
    throws
  {
    let json = screens.sarif(.leaks, in: package)
    let uri = "Sources/App/My%20%22Screen%22.swift"
    #expect(
      json.contains(
        #"""
        "level":"error","message":{"text":"leak: Screen, 2 objects, 64 bytes"},"locations":[\#
        {"physicalLocation":{"artifactLocation":{"uri":"\#(uri)","uriBaseId":"%SRCROOT%"},\#
        "region":{"startLine":12,"startColumn":16}}}]
        """#))
    let log = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(log["version"] as? String == "2.1.0")
    let runs = try #require(log["runs"] as? [[String: Any]])
    let results = try #require(runs.first?["results"] as? [[String: Any]])
    let stacks = try #require(results.first?["stacks"] as? [[String: Any]])
    #expect((stacks.first?["frames"] as? [Any])?.count == 5)
    #expect(results.first?["partialFingerprints"] as? [String: String] != nil)
    #expect(runs.first?["invocations"] == nil)
  }

  @Test func `SARIF has the reason for an undecided run`() throws {
    let json = SanitizerReport().sarif(.undecided("no test ran"), in: package)
    _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
    #expect(
      json.contains(
        #"""
        "invocations":[{"executionSuccessful":false,"toolExecutionNotifications":\#
        [{"level":"error","message":{"text":"no test ran"}}]}],"results":[]
        """#))
    #expect(!SanitizerReport().sarif(.clean, in: package).contains("invocations"))
  }

  @Test func `a memory error is reported with its kind`() throws {
    let report = try report(sample("use-after-free"))
    let text = LeakText(report, in: package, showsAllFrames: false).text(.memoryError)
    #expect(text.hasPrefix("memory error: heap-use-after-free\n  leaky_main at Sources/leaky/main"))
    #expect(report.jUnit(.memoryError, in: package).contains("type=\"memory error\""))
    #expect(report.sarif(.memoryError, in: package).contains("\"ruleId\":\"memory-error\""))
  }
}
