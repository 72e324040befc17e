import Measurements
import Testing

struct DamagedFilesTests {
  @Test(arguments: [
    ("threads", "eight"), ("threads", "0"), ("threads", "-1"), ("entries", "1.5"),
    ("kind", "Subject"),
    ("seed", "9007199254740992"), ("seed", "-1"), ("read_share", "101"), ("ns_per_op", "-0.1"),
    ("ns_per_op", "nan"), ("p99_ns", "inf"), ("p99_ns", "0x1p3"), ("p99_ns", "1e999"),
    ("p99_ns", " 5"), ("peak_live_bytes", "99999999999999999999"), ("schema", "0"),
    ("schema", "one"),
  ])
  func `a bad field is reported with its line and column, and no rows`(
    _ column: String, _ found: String
  ) {
    var grid = Grid(of: [.complete, .sparse])
    grid[2, column] = found
    let error = #expect(throws: ResultsError.self) {
      try MeasurementCSV.measurements(in: grid.text)
    }
    guard case .malformed(column, 3, grid.position(of: column) + 1, found, _) = error else {
      Issue.record("not reported as malformed: \(String(describing: error))")
      return
    }
  }

  @Test func `the line counts those inside quotation marks`() throws {
    var first = Measurement.complete
    first.environment.machine = "one\ntwo\r\nthree\rfour"
    var grid = Grid(of: [.sparse])
    grid[1, "cores"] = "many"
    let text = OlderFile.text(of: [first]) + grid.rows[1].joined(separator: ",")
    let error = #expect(throws: ResultsError.self) { try MeasurementCSV.measurements(in: text) }
    #expect(
      error
        == .malformed(
          column: "cores", line: 6, columnNumber: 8, found: "many",
          expected: "a whole number from 1"))
    #expect(
      error?.description
        == "line 6, column 8 (cores): expected a whole number from 1, found \"many\"")
  }

  @Test func `a row that was cut off is reported`() {
    let columns = MeasurementCSV.columnNames.count
    let text = OlderFile.text(of: [.sparse]) + "1,run-1-17,subject,ru"
    #expect(throws: ResultsError.truncatedRow(line: 3, found: 4, expected: columns)) {
      try MeasurementCSV.measurements(in: text)
    }
    #expect(throws: ResultsError.wrongFieldCount(line: 3, found: 4, expected: columns)) {
      try MeasurementCSV.measurements(in: text + "\n")
    }
    #expect(throws: ResultsError.wrongFieldCount(line: 3, found: 1, expected: columns)) {
      try MeasurementCSV.measurements(in: OlderFile.text(of: [.sparse]) + "\n")
    }
  }

  @Test func `quotation marks out of place are reported`() {
    let start = OlderFile.header + "\n"
    #expect(throws: ResultsError.unterminatedQuote(line: 2, columnNumber: 2)) {
      try MeasurementCSV.measurements(in: start + "1,\"run\n-17,subject\n")
    }
    #expect(throws: ResultsError.strayQuote(line: 2, columnNumber: 2)) {
      try MeasurementCSV.measurements(in: start + "1,ru\"n-17,subject\n")
    }
    #expect(throws: ResultsError.strayQuote(line: 2, columnNumber: 2)) {
      try MeasurementCSV.measurements(in: start + "1,\"run\"-17,subject\n")
    }
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `an empty file is reported`(_ text: String) {
    #expect(throws: ResultsError.empty) { try MeasurementCSV.measurements(in: text) }
    #expect(throws: ResultsError.empty) { try MeasurementCSV.columnNames(in: text) }
  }

  @Test func `a column or a row that is there twice is reported`() {
    var grid = Grid(of: [.complete])
    grid.rows[0][0] = "row"
    #expect(throws: ResultsError.duplicateColumn("row")) {
      try MeasurementCSV.measurements(in: grid.text)
    }
    grid = Grid(of: [.complete])
    grid.rows[0].append("cpu")
    #expect(throws: ResultsError.duplicateColumn("cpu")) {
      try MeasurementCSV.measurements(in: grid.text)
    }
    #expect(throws: ResultsError.duplicateRow("run-1-17", line: 4)) {
      try MeasurementCSV.measurements(
        in: OlderFile.text(of: [.complete, .sparse, .complete]))
    }
  }

  @Test func `the header of a second file is reported as such`() {
    let other = Measurement.trial(1, of: "mutex", nanosecondsPerOperation: 1)
    for (text, line) in [
      (OlderFile.text(of: [.sparse]) + OlderFile.text(of: [.complete]), 3),
      (MeasurementCSV.text(of: [.sparse]) + MeasurementCSV.text(of: [other]), 4),
    ] {
      let error = #expect(throws: ResultsError.self) { try MeasurementCSV.measurements(in: text) }
      #expect(error == .repeatedHeader(line: line))
    }
  }

  @Test func `a newer schema is refused before anything looks damaged`() {
    var grid = Grid(of: [.complete])
    grid[1, "schema"] = "2"
    grid[1, "kind"] = "something new"
    let error = ResultsError.unsupportedSchema(found: 2, line: 2, newestKnown: 1)
    #expect(throws: error) { try MeasurementCSV.measurements(in: grid.text) }
  }

  @Test func `every message is one line`() {
    let errors: [ResultsError] = [
      .empty, .missingColumn("row"), .duplicateColumn("row"),
      .malformed(column: "kind", line: 2, columnNumber: 3, found: "a\nb", expected: "a text"),
      .wrongFieldCount(line: 2, found: 1, expected: MeasurementCSV.columnNames.count),
      .truncatedRow(line: 2, found: 1, expected: 47), .repeatedHeader(line: 2),
      .unterminatedQuote(line: 1, columnNumber: 1),
      .strayQuote(line: 1, columnNumber: 1), .duplicateRow("a\r\nb", line: 2),
      .unsupportedSchema(found: 2, line: 2, newestKnown: 1), .unknownColumn("a\nb"),
      .malformedSession(line: 2, character: 3), .missingFact("cpu", line: 2),
      .unknownFact("a\nb", line: 2), .duplicateFact("cpu", line: 2),
      .contradictedSession(run: "a\nb", line: 2),
      .missingSession(run: "a\nb", number: 1, line: 2),
    ]
    for error in errors {
      #expect(!error.description.unicodeScalars.contains { $0 == "\n" || $0 == "\r" })
    }
  }
}
