@testable import LeakMonitoring
import Testing

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

  @Test func `1.5 a report is a line of JSON with the documented names in order`() {
    #expect(Self.record.jsonLine == Self.line)
  }

  @Test func `1.5 a line is read as it was written, of nothing too`() throws {
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
  func `1.5 a line that is no report of bindings is refused with its place`(
    _ line: String, message: String
  ) {
    #expect {
      try BindingReportRecord(jsonLine: line.utf8, of: "f", number: 3)
    } throws: { error in
      "\(error)".hasPrefix(message)
    }
  }

  @Test func `1.5 reports are appended to a file, and read in their order`() throws {
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
  func `1.5 a report is without mistakes if all was unbound once, or may yet be`(
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
