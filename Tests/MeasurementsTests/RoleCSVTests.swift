import Testing

@testable import Measurements

@Suite struct RoleCSVTests {
  private static let row: Measurement = {
    var row = Measurement.complete
    row.roles = [
      Measurement.Role(
        name: "reader", operations: [300, 100], seconds: 0.5,
        latency: Measurement.Latency(
          samples: 20, clockNanoseconds: 22.5, p50Nanoseconds: 40, maxNanoseconds: 99)),
      Measurement.Role(
        name: "writer", operations: [0], seconds: 0.5, latency: Measurement.Latency()),
    ]
    (row.roles[0].allocatedBytesPerOperation, row.roles[0].freedBytesPerOperation) = (64, 63.5)
    return row
  }()

  @Test func `each role has a row that joins the trial's, and reads back equal`() throws {
    let text = RoleCSV.text(of: [Self.row])
    #expect(text.split(separator: "\n").count == 3)
    #expect(try RoleCSV.roles(in: text) == [Self.row.identity.row: Self.row.roles])
    let writer = RoleWriter(parts: [.closedLoop, .bytes])
    #expect(writer.invalidColumn(in: Self.row) == nil)
    #expect(text == writer.header + writer.lines(for: Self.row))
    #expect(RoleWriter(parts: [.bytes]).invalidColumn(in: Self.row) == "p50_ns")
  }

  @Test func `rates and fairness are those of the role's own workers`() {
    let reader = Self.row.roles[0]
    #expect(reader.operations == 400)
    #expect(reader.nanosecondsPerOperation == 2.5e6)
    #expect(reader.operationsPerSecond == 800)
    #expect(reader.jainIndex == 0.8)
    #expect(reader.maxToMinOperations == 3)
  }

  @Test func `a role that was kept from doing anything did 0, and took no known time`() {
    let writer = Self.row.roles[1]
    #expect(writer.operations == 0)
    #expect(writer.operationsPerSecond == 0)
    #expect(writer.nanosecondsPerOperation == nil)
    #expect(writer.jainIndex == nil)
    #expect(writer.maxToMinOperations == nil)
    #expect(RoleCSV.text(of: [Self.row]).contains("writer,1,0,,0.0,,,,,,,,,,,\n"))
  }

  @Test func `a trial without roles has no rows`() {
    #expect(RoleWriter(parts: []).lines(for: .complete).isEmpty)
  }

  @Test func `a role that is there twice is bad data, and so is a damaged field`() {
    let writer = RoleWriter(parts: [.closedLoop, .bytes])
    let lines = writer.header + writer.lines(for: Self.row)
    let twice = lines + writer.lines(for: Self.row)
    #expect(throws: ResultsError.duplicateRow("run-1-17 reader", line: 4)) {
      try RoleCSV.roles(in: twice)
    }
    let error = #expect(throws: ResultsError.self) {
      try RoleCSV.roles(in: lines.replacing("reader,2,", with: "reader,two,"))
    }
    #expect(error?.description.contains("line 2, column 3 (workers)") == true)
  }

  @Test func `times of an open loop are the role's own, and an older file has none`() throws {
    var row = Self.row
    row.roles = [
      Measurement.Role(
        name: "reader", operations: [300, 100], seconds: 0.5,
        latency: Measurement.Latency(samples: 400), openLoop: Measurement.complete.openLoop)
    ]
    #expect(row.roles[0].jainIndex == nil && row.roles[0].maxToMinOperations == nil)
    let text = RoleCSV.text(of: [row])
    #expect(try RoleCSV.roles(in: text) == [row.identity.row: row.roles])
    #expect(text.hasSuffix(",80000.0,90000.0,3\n"))
    let older = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).prefix(8).joined(separator: ",")
    }
    let read = try RoleCSV.roles(in: older.joined(separator: "\n") + "\n")
    #expect(read[row.identity.row]?.first?.openLoop == Measurement.OpenLoop())
  }
}
