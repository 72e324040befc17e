import ProgramTesting
import TerminalIO
import Measurements
import Testing

@testable import weakbench

@Suite struct RowSinkTests {
  private static func write(_ rows: [Measurement], to destination: OutputDestination) throws {
    let sink = try RowSink(opening: destination)
    for row in rows { try sink.append(row) }
  }

  @Test func `a new file begins with the header and has every row at once`() throws {
    let folder = try TemporaryFolder()
    let sink = try RowSink(opening: .new(path: folder.file("a.csv")))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.header + "\n")
    try sink.append(.example(1))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1)]))
    try sink.append(.example(2))
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "a.csv"))
    #expect(rows == [.example(1), .example(2)])
  }

  @Test func `appending keeps the rows that are there and writes no second header`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    try Self.write([.example(1)], to: .appending(path: path))
    try Self.write([.example(2)], to: .appending(path: path))
    #expect(
      try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1), .example(2)]))
  }

  @Test func `replacing begins anew`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv", containing: "something long that was here before\n")
    try Self.write([.example(1)], to: .replacing(path: path))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1)]))
  }

  @Test func `what a full disk does not take ends the run as failed`() throws {
    let error = try commandError { try Self.write([.example(1)], to: .new(path: "/dev/full")) }
    #expect(error.status == .failed)
  }

  @Test func `a file that came after the check is not written over`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv", containing: "mine")
    #expect(throws: CommandError.self) { try Self.write([], to: .new(path: path)) }
    #expect(try folder.text(of: "a.csv") == "mine")
  }

  @Test func `a path that cannot be opened is the caller's mistake`() throws {
    let error = try commandError { try Self.write([], to: .new(path: "/none/rows.csv")) }
    #expect(error.status == .usage)
  }
}
