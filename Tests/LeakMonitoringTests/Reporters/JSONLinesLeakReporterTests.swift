import Foundation
import Testing
import WeakCollections

@testable import LeakMonitoring

struct JSONLinesLeakReporterTests {
  @Test func `each report is a line, appended to what is there`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl", containing: LeakRecord.example().jsonLine + "\n")
    let reporter = try JSONLinesLeakReporter(appendingTo: path)
    reporter.report(.example(.late))
    #expect(reporter.failure == nil)
    let records = try LeakRecord.records(inFile: path)
    #expect(records.map(\.state) == [.leaked, .late])
    #expect(records[1].millisecondsSince1970 > records[0].millisecondsSince1970 - 200_000_000_000)
  }

  @Test func `a monitor's reports are lines`() throws {
    final class Session {}
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = try .jsonLines(appendingTo: path)
    let sessions = [Session(), Session(), Session()]
    for session in sessions { monitor.validate(session, max: 1) }
    #expect(try LeakRecord.records(inFile: path).map(\.liveCount) == [2, 3])
    withExtendedLifetime(sessions) {}
  }

  @Test func `threads and reporters that share a file tear no line`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let reporters = try (0..<2).map { _ in try JSONLinesLeakReporter(appendingTo: path) }
    let long = String(repeating: "x", count: 10_000)
    DispatchQueue.concurrentPerform(iterations: 100) { index in
      reporters[index % 2].report(.example(description: long, live: index + 2))
    }
    let records = try LeakRecord.records(inFile: path)
    #expect(Set(records.map(\.liveCount)) == Set(2..<102))
  }

  @Test func `what cannot be opened throws, what cannot be written is told once`() async throws {
    #expect(throws: LeakFileError.self) {
      try JSONLinesLeakReporter(appendingTo: "/none/leaks.jsonl")
    }
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let reporter = JSONLinesLeakReporter(descriptor: 999)
      reporter.report(.example())
      reporter.report(.example())
      precondition(
        reporter.failure
          == .unwritable(file: "descriptor 999", reason: "Bad file descriptor"))
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.components(separatedBy: "cannot be written").count == 2, "\(printed)")
  }
}
