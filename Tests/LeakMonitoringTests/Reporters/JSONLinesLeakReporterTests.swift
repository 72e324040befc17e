import Foundation
import Testing
import WeakCollections

@testable import LeakMonitoring

struct JSONLinesLeakReporterTests {
  @Test func `each report is a line, appended to the file's contents`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl", containing: LeakRecord.example().jsonLine + "\n")
    let reporter = try JSONLinesLeakReporter(appendingTo: path)
    reporter.report(.example(.late))
    #expect(reporter.failure == nil)
    let records = try LeakRecord.records(inFile: path)
    #expect(records.map(\.state) == [.leaked, .late])
    #expect(records[1].millisecondsSince1970 > records[0].millisecondsSince1970 - 200_000_000_000)
  }

  @Test func `each report of a monitor is written as a line`() throws {
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

  @Test func `threads and reporters that share a file write whole lines`() throws {
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

  @Test func `a file that cannot be opened throws, a failed write is reported once`() async throws {
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

  @Test func `after a partial write the next line is whole`() throws {
    let pipe = Pipe()
    let end = pipe.fileHandleForWriting.fileDescriptor
    // Writing to a full pipe fails then, after a partial write.
    try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
    let reporter = JSONLinesLeakReporter(descriptor: end)
    reporter.report(.example(description: String(repeating: "x", count: 1 << 20)))
    #expect(reporter.failure != nil)
    let torn = unreadBytes(in: pipe)
    #expect(!torn.isEmpty && !torn.contains(UInt8(ascii: "\n")))
    reporter.report(.example(live: 5))
    reporter.report(.example(live: 6))
    try pipe.fileHandleForWriting.close()
    let rest = pipe.fileHandleForReading.readDataToEndOfFile()
    let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.first?.isEmpty == true, "a newline ends the partial line")
    let records = try lines.dropFirst().dropLast().map {
      try LeakRecord(jsonLine: $0, of: "pipe", number: 1)
    }
    #expect(records.map(\.liveCount) == [5, 6])
  }

  @Test func `a pipe without a reader is a failure, and the program continues`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let reporter = JSONLinesLeakReporter(
        descriptor: pipe.fileHandleForWriting.fileDescriptor)
      for _ in 0..<2 { reporter.report(.example()) }
      var (pending, mask) = (sigset_t(), sigset_t())
      sigpending(&pending)
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      precondition(sigismember(&pending, SIGPIPE) == 0 && sigismember(&mask, SIGPIPE) == 0)
      guard case .unwritable(_, "Broken pipe") = reporter.failure else {
        preconditionFailure("expected a failure")
      }
    }
  }

  @Test func `a file is rotated at its maximum size, and only the newest files are kept`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let line = LeakRecord.example(live: 10).jsonLine.utf8.count + 1
    let reporter = try JSONLinesLeakReporter(
      appendingTo: path, rotatingAt: 3 * line + line / 2, keeping: 2)
    for live in 10..<30 { reporter.report(.example(live: live)) }
    #expect(reporter.failure == nil)
    let lives = try ["", ".1", ".2"].map {
      try LeakRecord.records(inFile: path + $0).map(\.liveCount)
    }
    #expect(lives == [[28, 29], [25, 26, 27], [22, 23, 24]])
    #expect(!FileManager.default.fileExists(atPath: path + ".3"))
  }

  @Test func `a line that is longer than the limit is written`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let reporter = try JSONLinesLeakReporter(appendingTo: path, rotatingAt: 10, keeping: 1)
    for live in 2...4 { reporter.report(.example(live: live)) }
    #expect(try LeakRecord.records(inFile: path).map(\.liveCount) == [4])
    #expect(try LeakRecord.records(inFile: path + ".1").map(\.liveCount) == [3])
  }

  @Test func `reporters that share a file rotate it one at a time and lose no line`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let reporters = try (0..<2).map { _ in
      try JSONLinesLeakReporter(appendingTo: path, rotatingAt: 2_000, keeping: 1_000)
    }
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      reporters[index % 2].report(.example(live: index + 2))
    }
    var lives = try LeakRecord.records(inFile: path).map(\.liveCount)
    var number = 1
    while FileManager.default.fileExists(atPath: "\(path).\(number)") {
      let older = try LeakRecord.records(inFile: "\(path).\(number)").map(\.liveCount)
      #expect(!older.isEmpty)
      lives += older
      number += 1
    }
    #expect(number > 10)
    #expect(lives.sorted() == Array(2..<202))
  }

  @Test func `after a rotation by another program the next report goes to a new file`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("leaks.jsonl")
    let reporter = try JSONLinesLeakReporter(appendingTo: path)
    reporter.report(.example(live: 2))
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    reporter.report(.example(live: 3))
    #expect(try LeakRecord.records(inFile: path + ".old").map(\.liveCount) == [2])
    #expect(try LeakRecord.records(inFile: path).map(\.liveCount) == [3])
    #expect(reporter.failure == nil)
  }

  /// Returns the bytes that were written so far.
  private func unreadBytes(in pipe: Pipe) -> [UInt8] {
    let end = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(end, F_SETFL, O_NONBLOCK)
    defer { _ = fcntl(end, F_SETFL, 0) }
    var (all, some) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while case let count = read(end, &some, some.count), count > 0 { all += some[..<count] }
    return all
  }
}
