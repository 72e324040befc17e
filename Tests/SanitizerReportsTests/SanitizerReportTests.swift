import Foundation
import SanitizerReports
import SeededTesting
import Testing

@Suite struct SanitizerReportTests {
  @Test(arguments: [("xctest", 2), ("swift-testing", 1)])
  func `a report of tests names each leak and its source location, and sums up side tables`(
    _ name: String, _ sideTables: Int
  ) throws {
    let report = try report(sample(name))
    #expect(report.checked.count == 1)
    #expect(report.leaks.map(\.objects) == [1, 1])
    #expect(report.leaks.map(\.bytes) == [32, 24])
    #expect(report.sideTables.objects == sideTables && report.sideTables.bytes == 32 * sideTables)
    #expect(report.memoryErrors.isEmpty && report.obstacles.isEmpty)
    let screen = try #require(report.leaks.first)
    #expect(screen.frames[3].function == "$s7Screens6ScreenCACycfC")
    #expect(screen.frames[3].file == "/package/Sources/Screens/Screens.swift")
    #expect(screen.frames[4].line == 17 && screen.frames[4].column == 16)
    #expect(screen.frames[2].image == "/toolchain/usr/lib/swift/linux/libswiftCore.so")
  }

  @Test func `suppressions are counted`() throws {
    #expect(
      try report(sample("xctest")).suppressed == [
        "s6XCTest11XCTMainMisc": 6, "s6XCTest0A8SuiteRunC4test": 2,
      ])
    #expect(try report(sample("swift-testing")).suppressed.isEmpty)
  }

  @Test func `a use after free is a memory error with the stack of the use only`() throws {
    let report = try report(sample("use-after-free"))
    #expect(report.memoryErrors.map(\.kind) == ["heap-use-after-free"])
    #expect(report.memoryErrors.first?.frames.count == 5)
    #expect(report.memoryErrors.first?.frames.first?.line == 38)
    #expect(report.leaks.isEmpty && report.checked.isEmpty)
  }

  @Test func `the same stack in two processes is one leak`() throws {
    var twice = screens
    twice.add(lookedThrough(13))
    let text = try sample("xctest")
    twice.add(text)
    twice.add(text)
    #expect(twice.checked == report(text).checked.union([12, 13]))
    #expect(twice.leaks.map(\.objects) == [2, 2, 2])
    #expect(twice.leaks.map(\.bytes) == [64, 64, 48])
    #expect(twice.sideTables.objects == 4)
  }

  @Test func `a traced process cannot be searched for leaks`() {
    let report = report("==12==LeakSanitizer has encountered a fatal error.\n")
    #expect(report.obstacles.count == 1)
  }

  @Test func `renaming functions merges stacks that become equal`() throws {
    let report = try report(sample("swift-testing"))
    let names = ["$s7Screens6ScreenCACycfC": "Screen.__allocating_init()"]
    #expect(report.functions.contains("$s7Screens6ScreenCACycfC"))
    let renamed = report.renamed(names)
    #expect(renamed.leaks.compactMap(\.typeName) == ["Screen"])
    #expect(!renamed.functions.contains("$s7Screens6ScreenCACycfC"))
  }

  @Test(arguments: ["xctest", "swift-testing", "use-after-free"])
  func `damaged reports are read as far as possible`(_ name: String) throws {
    let bytes = Array(try sample(name).utf8)
    for end in stride(from: 0, to: bytes.count, by: 61) {
      let cut = report(String(decoding: bytes[..<end], as: UTF8.self))
      #expect(cut.leaks.count <= 2 && cut.memoryErrors.count <= 1)
    }
    var random = SeededGenerator(seed: 7)
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0..<20 {
        damaged[Int.random(in: damaged.indices, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      let report = report(String(decoding: damaged, as: UTF8.self))
      #expect(report.leaks.allSatisfy { $0.objects > 0 && $0.bytes >= 0 })
      _ = LeakText(report, in: package, showsAllFrames: true).text(.leaks)
      _ = report.jUnit(.leaks, in: package)
      _ = report.sarif(.leaks, in: package)
    }
  }

  @Test(arguments: ["xctest", "swift-testing"])
  func `2.11 a truncated report of leaks is never clean`(
    _ name: String
  ) throws {
    let text = try sample(name)
    let process = try #require(report(text).checked.first)
    let program = LeakVerdict.Subject.program(process: process)
    let heading = try #require(text.firstRange(of: "ERROR: LeakSanitizer: detected memory leaks"))
    let length = text[..<heading.upperBound].count
    for end in stride(from: length, to: text.count, by: 11) {
      let cut = text.prefix(end)
      for rest in ["", "\n" + lookedThrough(process)] {
        #expect(LeakVerdict(program, end: .exited(0), report(cut + rest)) != .clean)
      }
    }
  }

  @Test(arguments: [
    ("", false), ("SUMMARY: AddressSanitizer: 64 byte(s) leaked in 2 allocation(s).\n", true),
    ("SUMMARY: AddressSanitizer: 96 byte(s) leaked in 3 allocation(s).\n", false),
    ("SUMMARY: AddressSanitizer: 0 byte(s) leaked in 0 allocation(s).\n", false),
    ("SUMMARY: AddressSanitizer: heap-use-after-free\n", false),
  ])
  func `2.11 leaks that were reported but cannot be read are an obstacle`(
    _ summary: String, _ isRead: Bool
  ) {
    let heading = "==1==ERROR: LeakSanitizer: detected memory leaks\n"
    let leak = "Direct leak of 64 byte(s) in 2 object(s) allocated from:\n"
    let obstacles = ["a leak report could not be read"]
    #expect(report(heading + leak + summary).obstacles == (isRead ? [] : obstacles))
    #expect(report(heading + summary).obstacles == obstacles)
    #expect(report(heading + leak + summary + heading).obstacles.last == obstacles[0])
  }

  @Test(arguments: [
    (64, 2, "swift::RefCounts<int>::formWeakReference()", true),
    (32, 1, "swift::RefCounts<int>::allocateSideTable(bool)", true),
    (65, 2, "swift::RefCounts<int>::formWeakReference()", false),
    (Int.max, Int.max, "swift::RefCounts<int>::formWeakReference()", false),
    (32, 1, "swift::RefCounts<int>::incrementSlow()", false),
    (32, 1, "formWeakReference", false),
    (32, 1, "Screen.__allocating_init()", false),
  ])
  func `only memory that the runtime allocates for a weak reference is a side table`(
    _ bytes: Int, _ objects: Int, _ function: String, _ isSideTable: Bool
  ) {
    let names = [
      "posix_memalign", "swift_slowAlloc", function,
      "swift::RefCounts<int>::formWeakReference() and its like, further out",
    ]
    let frames = names.map { StackFrame(function: $0) }
    let stack = LeakedStack(objects: objects, bytes: bytes, frames: frames)
    #expect(stack.isSideTables == isSideTable)
  }

  @Test func `too large and negative numbers are clamped or ignored`() {
    let most = "Direct leak of \(Int.max) byte(s) in \(Int.max) object(s) allocated from:\n"
    var report = report(most + most)
    report.add("Direct leak of 99999999999999999999 byte(s) in 1 object(s) allocated from:\n")
    report.add("Direct leak of -1 byte(s) in 0 object(s) allocated from:\n")
    #expect(report.leaks.map(\.bytes) == [.max])
    #expect(report.leaks.map(\.objects) == [.max])
  }
}

/// The output of the sanitizers for the fixture `Tests/Leaky`, with other folder names.
func sample(_ name: String) throws -> String {
  let url = try #require(
    Bundle.module.url(forResource: name, withExtension: "txt", subdirectory: "Reports"))
  return try String(contentsOf: url, encoding: .utf8)
}

/// Returns the report of one process.
func report(_ text: String) -> SanitizerReport {
  var report = SanitizerReport()
  report.add(text)
  return report
}

/// Returns LeakSanitizer's last output for a process.
func lookedThrough(_ process: Int) -> String {
  "==\(process)==Thread T0/\(process) was created by T-1\n    <empty stack>\n"
}

/// A report of two leaked screens, with frames of the package and of a dependency.
let screens = report(
  """
  ==12==ERROR: LeakSanitizer: detected memory leaks

  Direct leak of 64 byte(s) in 2 object(s) allocated from:
      #0 0x55d7 in malloc /build/asan_malloc_linux.cpp:67:3
      #1 0x7f5e in swift_allocObject (/usr/lib/libswiftCore.so+0x46fdc6) (BuildId: b521f2)
      #2 0x55d8 in Screen.__allocating_init() /package/Sources/App/My "Screen".swift
      #3 0x55d9 in open() /package/Sources/App/My "Screen".swift:12:16
      #4 0x55da in run() /package/.build/checkouts/loop/Loop.swift:7:1

  SUMMARY: AddressSanitizer: 64 byte(s) leaked in 2 allocation(s).

  """ + lookedThrough(12))

let package = SourceRoot("/package")
