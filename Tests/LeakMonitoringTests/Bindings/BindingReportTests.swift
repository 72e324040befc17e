import Foundation
import LeakMonitoring
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakMonitoring

struct BindingReportRecordTests {
  private static let surviving = BindingRecord(
    state: .surviving, viewModel: "App.Profile", controller: "App.Screen", name: "first \"one\"",
    viewModelIsAlive: true, controllerIsAlive: false, isDoublyBound: true,
    fileID: "App/Screen.swift", line: 7)

  private static let record = BindingReportRecord(
    BindingReport([surviving: 2, BindingAnalyzerTests.example: 30]),
    millisecondsSince1970: 1_800_000_000_000)

  private static let line = #"""
    {"schema":1,"time":1800000000000,"bindings":[{"count":2,"state":"surviving",\#
    "viewModel":"App.Profile","controller":"App.Screen","name":"first \"one\"",\#
    "viewModelIsAlive":true,"controllerIsAlive":false,"isDoublyBound":true,\#
    "file":"App/Screen.swift","line":7},{"count":30,"state":"released","viewModel":"App.Model",\#
    "viewModelIsAlive":false,"controllerIsAlive":false,"isDoublyBound":false,\#
    "file":"App/Screen.swift","line":7}]}
    """#

  @Test func `1.5 a report is a line of JSON with the documented keys in order`() {
    #expect(Self.record.jsonLine == Self.line)
  }

  @Test func `1.5 reading a written line returns the same report, which may be empty`() throws {
    let empty = BindingReportRecord(BindingReport(), millisecondsSince1970: 0)
    for record in [Self.record, empty] {
      let line = record.jsonLine.utf8
      #expect(try BindingReportRecord(jsonLine: line, of: "f", number: 1) == record)
    }
  }

  @Test(arguments: [
    (#"{"schema":2,"time":1,"bindings":[]}"#, "f:3:11: expected schema 1, not 2"),
    (#"{"schema":1,"time":1}"#, "f:3:1: expected 'bindings' in the object"),
    (
      line.replacing("true", with: "1"),
      "f:3:171: expected true or false for 'viewModelIsAlive'"
    ),
    (line.replacing("surviving", with: "x"), "f:3:65: expected one of"),
  ])
  func `1.5 a line that is not a report of bindings is refused with its line and column`(
    _ line: String, message: String
  ) {
    #expect {
      try BindingReportRecord(jsonLine: line.utf8, of: "f", number: 3)
    } throws: { error in
      "\(error)".hasPrefix(message)
    }
  }

  @Test func `1.5 reports are appended to a file and read in order`() throws {
    let files = try TemporaryFiles()
    let file = try files.path("bindings.jsonl")
    try Self.record.report.append(toFile: file)
    try BindingReport().append(toFile: file)
    let records = try BindingReportRecord.records(inFile: file)
    #expect(records.map(\.report) == [Self.record.report, BindingReport()])
    #expect(records.allSatisfy { $0.millisecondsSince1970 > 1_700_000_000_000 })
    #expect(throws: LeakFileError.self) {
      try BindingReport().append(toFile: "\(files.folder)/none/bindings.jsonl")
    }
  }

  @Test(arguments: BindingState.allCases)
  func `1.5 a report has no mistakes if every binding is bound or was released, and none is double`(
    _ state: BindingState
  ) {
    var record = BindingAnalyzerTests.example
    record.state = state
    let isFine = state == .bound || state == .released
    #expect(BindingReport([record: 1]).isWithoutMistakes == isFine)
    record.isDoublyBound = true
    #expect(!BindingReport([record: 1]).isWithoutMistakes)
  }
}

private final class Model: Sendable {}

/// In child processes, because signals affect the whole process.
@Suite(.timeLimit(.minutes(10)))
struct ReportOnSignalTests {
  @Test func `1.5 each signal delivers a report`() async {
    await #expect(processExitsWith: .success) {
      let (reports, report) = AsyncStream.makeStream(of: BindingReport.self)
      let analyzer = BindingAnalyzer(backend: .mutex)
      let trigger = analyzer.reportOnSignal(SIGUSR1) { report.yield($0) }
      let model = Model()
      var count = 0
      kill(getpid(), SIGUSR1)
      for await report in reports {
        #expect(report.count(.bound) == count)
        count += 1
        if count == 3 { break }
        if count == 1 { analyzer.registerBinding(model) }
        if count == 2 { analyzer.registerBinding(analyzer) }
        kill(getpid(), SIGUSR1)
      }
      withExtendedLifetime((trigger, model)) {}
      exit(count == 3 ? 0 : 1)
    }
  }

  @Test func `1.5 a signal appends a line to a file that can be read`() async {
    await #expect(processExitsWith: .success) {
      let files = try TemporaryFiles()
      #expect(chdir(files.folder) == 0)
      let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
        try? report.append(toFile: "bindings.jsonl")
      }
      kill(getpid(), SIGUSR1)
      while (try? BindingReportRecord.records(inFile: "bindings.jsonl").count) != 1 {
        await Task.yield()
      }
      trigger.cancel()
    }
  }

  @Test(.enabled(if: HeapSnapshot.heapCapability == .available))
  func `a signal appends a snapshot of the heap to a file that can be read`() async {
    await #expect(processExitsWith: .success) {
      let files = try TemporaryFiles()
      #expect(chdir(files.folder) == 0)
      let model = Model()
      let trigger = HeapSnapshot.takeOnSignal(SIGUSR2) { snapshot in
        try? snapshot.get().append(toFile: "heap.jsonl")
      }
      kill(getpid(), SIGUSR2)
      var snapshots: [HeapSnapshot] = []
      while snapshots.isEmpty {
        await Task.yield()
        snapshots = (try? HeapSnapshot.snapshots(inFile: "heap.jsonl")) ?? []
      }
      let models = snapshots[0].entries.filter { $0.typeName.hasSuffix("Model") }
      #expect(models.map(\.count) == [1])
      withExtendedLifetime((trigger, model)) {}
    }
  }

  @Test func `1.5 by default a report is written to standard error, as text`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let analyzer = BindingAnalyzer(backend: .mutex)
      let model = Model()
      BindingReport().printToStandardError()
      analyzer.registerBinding(model, named: "profile")
      analyzer.report.printToStandardError()
      withExtendedLifetime(model) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("no bindings\n"))
    #expect(text.contains("still bound, alive: LeakMonitoringTests.Model\n"))
  }

  @Test func `1.5 a trigger that is released delivers nothing more, and the program continues`()
    async
  {
    await #expect(processExitsWith: .success) {
      let (reports, report) = AsyncStream.makeStream(of: Int.self)
      var first: SignalTrigger? = SignalTrigger(SIGUSR1) { report.yield(1) }
      let second = SignalTrigger(SIGUSR2) { report.yield(2) }
      withExtendedLifetime(first) {}
      first = nil
      var numbers = reports.makeAsyncIterator()
      // Repeated, so that a value of the first trigger would appear even if it came late.
      for _ in 0..<20 {
        kill(getpid(), SIGUSR1)
        kill(getpid(), SIGUSR2)
        guard await numbers.next() == 2 else { exit(1) }
      }
      withExtendedLifetime(second) {}
    }
  }

  @Test func `1.5 each of two triggers of one signal delivers its report`() async {
    await #expect(processExitsWith: .success) {
      let (reports, report) = AsyncStream.makeStream(of: Int.self)
      let triggers = [1, 2].map { number in SignalTrigger(SIGUSR1) { report.yield(number) } }
      var numbers = reports.makeAsyncIterator()
      for _ in 0..<3 {
        kill(getpid(), SIGUSR1)
        #expect(Set([await numbers.next(), await numbers.next()]) == [1, 2])
      }
      withExtendedLifetime(triggers) {}
    }
  }

  @Test func `1.5 a trigger that is created after another was released delivers reports`() async {
    await #expect(processExitsWith: .success) {
      let (reports, report) = AsyncStream.makeStream(of: Int.self)
      var numbers = reports.makeAsyncIterator()
      for number in 0..<3 {
        let trigger = SignalTrigger(SIGUSR1) { report.yield(number) }
        kill(getpid(), SIGUSR1)
        #expect(await numbers.next() == number)
        withExtendedLifetime(trigger) {}
      }
    }
  }

  @Test(arguments: [SIGKILL, SIGSTOP, 0, -1, 1000])
  func `1.5 a signal that cannot be caught traps`(_ signal: Int32) async {
    await #expect(processExitsWith: .failure) { [signal] in
      _ = SignalTrigger(signal) {}
    }
  }
}
