import Foundation
import Testing

@testable import Measurements

/// The lines of sessions, and the files that have them.
@Suite struct SessionLineTests {
  private static let header = MeasurementWriter(parts: []).header
  private static let facts = #"""
    # session {"run":"run-1","session":1,"schema":1,"machine":"epyc-2c","cores":2,\#
    "swift":"swift-6.3.1","allocator":"system","configuration":"debug","requested_seconds":1.0}

    """#
  private static let text = MeasurementCSV.text(of: [.sparse])
  private static let row = text.split(separator: "\n").last! + "\n"

  private static func error(of text: String) -> ResultsError? {
    #expect(throws: ResultsError.self) { try MeasurementCSV.measurements(in: text) }
  }

  private static func error(replacing old: String, with new: String) -> ResultsError? {
    let damaged = text.replacing(old, with: new)
    #expect(damaged != text)
    return error(of: damaged)
  }

  /// Rows of two sessions of one run.
  private static let sessions = [1, 2, 1].enumerated().map { index, session in
    var row = Measurement.complete
    row.identity.row = "run-1-\(index)"
    row.trial.session = session
    return row
  }

  @Test func `the line has the known facts once, before the session's first row`() throws {
    #expect(Self.text.contains(Self.facts))
    let text = MeasurementCSV.text(of: Self.sessions)
    let starts = text.split(separator: "\n").map { $0.prefix(7) }
    #expect(starts.dropFirst() == ["# sessi", "run-1-0", "# sessi", "run-1-1", "run-1-2"])
    #expect(try MeasurementCSV.measurements(in: text) == Self.sessions)
  }

  @Test func `the header has the parts that a row has, and no others`() throws {
    let without = MeasurementCSV.text(of: [.sparse])
    #expect(without.hasPrefix(MeasurementWriter(parts: []).header))
    let both = MeasurementCSV.text(of: [.sparse, .complete])
    #expect(both.hasPrefix(MeasurementWriter(parts: Set(MeasurementCSV.Part.allCases)).header))
    #expect(try MeasurementCSV.measurements(in: both) == [.sparse, .complete])
  }

  @Test func `a fact that differs within a session is a column`() throws {
    var rows = Self.sessions
    rows[2].environment.machine = "another"
    let text = MeasurementCSV.text(of: rows)
    #expect(text.hasPrefix("machine,row,kind,"))
    #expect(!text.contains(#""machine""#))
    #expect(try MeasurementCSV.measurements(in: text) == rows)
  }

  @Test func `a writer refuses a fact that contradicts the session, and a part without columns`() {
    var writer = MeasurementWriter(parts: [])
    var row = Measurement.sparse
    _ = writer.lines(for: row)
    #expect(writer.lines(for: row) == Self.row)
    row.environment.commit = "g42"
    #expect(writer.invalidColumn(in: row) == "commit")
    row.identity.run = "run-2"
    #expect(writer.invalidColumn(in: row) == nil)
    row.bytes.limbo = 0
    #expect(writer.invalidColumn(in: row) == "limbo_bytes")
  }

  @Test(arguments: [OlderFile.header + "\n", MeasurementCSV.text(of: [.complete])])
  func `a writer continues a file of either version`(_ file: String) throws {
    var writer = try MeasurementWriter(parts: [.openLoop], continuing: file)
    var row = Measurement.sparse
    row.identity.run = "run-2"
    #expect(writer.invalidColumn(in: row) == nil)
    let earlier = try MeasurementCSV.measurements(in: file)
    let text = file + writer.lines(for: row)
    #expect(try MeasurementCSV.measurements(in: text) == earlier + [row])
    #expect(text.contains("# session") != file.hasPrefix("schema"))
  }

  @Test func `a writer continues no file that lacks a column or has an unknown one`() {
    #expect(throws: ResultsError.missingColumn("mode")) {
      try MeasurementWriter(parts: [.openLoop], continuing: Self.text)
    }
    #expect(throws: ResultsError.unknownColumn("later")) {
      try MeasurementWriter(parts: [], continuing: "later," + Self.text)
    }
  }

  @Test(arguments: [
    ("# session {", "# sesion {", 1), ("{\"run\"", "[\"run\"", 11), ("\"run\"", "run", 12),
    ("\"run\":", "\"run\"=", 17), ("\"run-1\"", "null", 18), ("\"run-1\"", "\"run\\x\"", 24),
    ("\"run-1\"", "\"run\\u12\"", 24), ("\"run-1\",", "\"run-1\";", 25), ("1.0}", "1.0", 169),
    ("1.0}", "1.0}}", 170), ("1.0}", "1.0,}", 170), ("1.0}", "1.0.0}", 166),
    ("\"requested_seconds\":1.0}", "\"requested_sec", 160),
  ])
  func `a line that is no session is reported with its place`(
    _ old: String, _ new: String, _ character: Int
  ) {
    #expect(
      Self.error(replacing: old, with: new) == .malformedSession(line: 2, character: character))
  }

  @Test func `a fact that is wrong, missing, unknown or there twice is reported`() {
    #expect(
      Self.error(replacing: #""cores":2"#, with: #""cores":0"#)
        == .malformed(
          column: "cores", line: 2, columnNumber: 5, found: "0", expected: "a whole number from 1"))
    #expect(
      Self.error(replacing: #""cores":2,"#, with: "") == .missingFact("cores", line: 2))
    #expect(
      Self.error(replacing: #""cores":2"#, with: #""cores":2,"later":3"#)
        == .unknownFact("later", line: 2))
    #expect(
      Self.error(replacing: #""cores":2"#, with: #""threads":2,"cores":2"#)
        == .unknownFact("threads", line: 2))
    #expect(
      Self.error(replacing: #""cores":2"#, with: #""cores":2,"cores":2"#)
        == .duplicateFact("cores", line: 2))
    #expect(
      Self.error(replacing: #""schema":1"#, with: #""schema":2,"later":3"#)
        == .unsupportedSchema(found: 2, line: 2, newestKnown: 1))
  }

  @Test func `a session without a line, or with two that differ, is reported`() throws {
    let missing = ResultsError.missingSession(run: "run-1", number: 1, line: 2)
    #expect(Self.error(of: Self.header + Self.row + Self.facts) == missing)
    #expect(Self.error(replacing: #""session":1"#, with: #""session":2"#) != nil)
    let again = try MeasurementCSV.measurements(in: Self.text + Self.facts)
    #expect(again == [.sparse])
    #expect(
      Self.error(of: Self.text + Self.facts.replacing(#""cores":2"#, with: #""cores":4"#))
        == .contradictedSession(run: "run-1", line: 4))
  }

  @Test func `JSON of other writers is read`() throws {
    let escaped = Self.text.replacing(#""epyc-2c","#, with: #""\u0065pyc\u002D2c"  ,  "#)
    #expect(escaped != Self.text)
    #expect(try MeasurementCSV.measurements(in: escaped) == [.sparse])
    let flame = Self.text.replacing("epyc-2c", with: #"\ud83d\udd25\n\/"#)
    #expect(try MeasurementCSV.measurements(in: flame)[0].environment.machine == "🔥\n/")
  }

  @Test func `a text that begins with a number sign is no line of a session`() throws {
    var row = Measurement.sparse
    row.identity.row = "# session {}"
    let text = MeasurementCSV.text(of: [row])
    #expect(text.contains("\n\"# session {}\","))
    #expect(try MeasurementCSV.measurements(in: text) == [row])
  }

  /// The files that earlier versions wrote.
  private static let committed: [URL] = {
    let results = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../results").standardizedFileURL
    let files = FileManager.default.enumerator(at: results, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter {
      $0.pathExtension == "csv"
        && (try? String(contentsOf: $0, encoding: .utf8))?.hasPrefix("schema,row,") == true
    }
  }()

  @Test func `the files of earlier versions are found`() {
    #expect(Self.committed.count >= 2)
  }

  @Test(arguments: committed)
  func `a file of an earlier version is the same in this one`(_ file: URL) throws {
    let older = try String(contentsOf: file, encoding: .utf8)
    let rows = try MeasurementCSV.measurements(in: older)
    // Nothing is lost or added on reading.
    let header = try #require(older.split(separator: "\n").first).split(separator: ",")
    let columns = header.map { MeasurementCSV.earlierNames[String($0)] ?? String($0) }
    let again = rows.map { row in
      columns.map { MeasurementCSV.field(MeasurementCSV.text(ofColumn: $0, in: row) ?? "?") }
        .joined(separator: ",") + "\n"
    }
    #expect(older == header.joined(separator: ",") + "\n" + again.joined())
    let newer = MeasurementCSV.text(of: rows)
    #expect(!newer.hasPrefix("schema") && newer.utf8.count < older.utf8.count)
    #expect(try MeasurementCSV.measurements(in: newer) == rows)
  }
}
