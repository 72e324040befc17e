import ProgramTesting
import TerminalIO
import Choosing
import Foundation
import Measurements
import Testing

@testable import weakbench

/// `weakbench choose` as somebody runs it: its exit statuses, and its JSON.
@Suite(.enabled(if: TestedProgram.weakbench.isBuilt)) struct ChooseProgramTests {
  private static func outcome(
    _ line: String, _ rows: [Measurements.Measurement] = ChooseTests.rows()
  ) async throws -> TestedProgram.Outcome {
    let folder = try TemporaryFolder()
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    return try await TestedProgram.weakbench.run("choose rows.csv --collection dictionary \(line)", in: folder)
  }

  @Test(arguments: [
    ("--workload read-heavy", 0 as Int32), ("--workload read-heavy --threads 3", 0),
    ("--workload read-heavy --objective bytes", 0), ("--workload read-heavy --objective p99", 3),
    ("--mix read=100 --threads 8", 0), ("--workload read-heavy --threads 99", 4),
    ("--workload read-heavy --noise-floor 40%", 3), ("--workload read-heavy --noise-floor x", 64),
    ("--workload read-heavy --machine none", 64), ("--workload read-heavy --check", 64),
    ("--workload read-heavy --output -", 64),
  ])
  func `the status says what the answer rests on`(_ line: String, _ status: Int32) async throws {
    let outcome = try await Self.outcome(line)
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.output.isEmpty == (status == 64))
  }

  @Test func `mixed rows end with status 65 and one line`() async throws {
    var rows = ChooseTests.rows()
    rows[0].environment.allocator = "jemalloc"
    let outcome = try await Self.outcome("--workload read-heavy", rows)
    #expect(outcome.status == ExitStatus.badData.rawValue && outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }

  @Test func `JSON has what the text has`() async throws {
    let outcome = try await Self.outcome("--workload read-heavy --threads 32 --format json")
    #expect(outcome.status == ExitStatus.outsideMeasured.rawValue)
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(found["backend"] as? String == "lock-free")
    #expect(found["type"] as? String == "LockFreeDictionary")
    #expect(found["trait"] as? String == "LockFreeBackend")
    #expect(found["status"] as? Int == 4)
    #expect((found["excess"] as? [String: Any])?["threads"] as? Double == 2)
    #expect((found["backends"] as? [Any])?.count == 2)
    #expect((found["rows"] as? [String])?.count == 6)
  }

  @Test(arguments: ["", " --workload read-heavy"])
  func `rows become a calibration, with a question or without`(_ question: String) async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: ChooseTests.rows()))
    let collection = question.isEmpty ? "" : " --collection dictionary"
    let outcome = try await TestedProgram.weakbench.run(
      "choose rows.csv --output calibration.json" + collection + question, in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome)")
    #expect(outcome.output.isEmpty == question.isEmpty)
    let file = URL(fileURLWithPath: "\(folder.path)/calibration.json")
    let calibration = try Calibration(contentsOf: file)
    #expect(calibration.keys.map(\.cores) == [4])
    #expect(calibration.costs(for: calibration.keys[0]).map(\.trials) == [3, 3, 3, 3])
  }
}
