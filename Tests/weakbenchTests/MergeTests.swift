import BenchmarkCommands
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing

@testable import Benchmarking
@testable import BenchmarkProgram

@Suite(.enabled(if: TestedProgram.weakbench.isBuilt)) struct MergeTests {
  private static func rows(_ number: Int) throws -> [Measurement] {
    try Measurement.rows(of: "--quick --seed \(number)", run: "run-\(number)")
  }

  @Test func `files are merged in their order, and no file is replaced`() async throws {
    let folder = try TemporaryFolder()
    for number in 1...2 {
      _ = try folder.file("\(number).csv", containing: MeasurementCSV.text(of: Self.rows(number)))
    }
    let merged = try await TestedProgram.weakbench.run(
      "merge 2.csv 1.csv --output rows.csv", in: folder)
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(
      try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
        == Self.rows(2) + Self.rows(1))
    let again = try await TestedProgram.weakbench.run(
      "merge 1.csv 2.csv --output rows.csv", in: folder)
    #expect(again.status == ExitStatus.usage.rawValue)
  }

  @Test func `a row in two files is bad data, and nothing is written`() async throws {
    let folder = try TemporaryFolder()
    for name in ["a.csv", "b.csv"] {
      _ = try folder.file(name, containing: MeasurementCSV.text(of: Self.rows(1)))
    }
    let outcome = try await TestedProgram.weakbench.run(
      "merge a.csv b.csv --output rows.csv", in: folder)
    #expect(outcome.status == ExitStatus.badData.rawValue)
    #expect(outcome.errors.contains("is in a.csv too"), "\(outcome.errors)")
    #expect(throws: (any Error).self) { try folder.text(of: "rows.csv") }
  }

  @Test func `a column that this version does not know is not lost in silence`() async throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: try Self.rows(1))
    let lines = text.split(separator: "\n").enumerated().map { $0 == 0 ? "\($1),later" : "\($1),7" }
    _ = try folder.file("a.csv", containing: lines.joined(separator: "\n") + "\n")
    let outcome = try await TestedProgram.weakbench.run("merge a.csv --output rows.csv", in: folder)
    #expect(outcome.status == ExitStatus.badData.rawValue)
    #expect(outcome.errors.contains("the column 'later' is not one of this version's"))
  }
}

/// The program merges files with others beside them.
@Suite(.enabled(if: TestedProgram.weakbench.isBuilt)) struct SidecarMergeTests {
  /// Three runs, of which the first two have roles.
  private let folder: TemporaryFolder
  private let rows: [Measurement]

  init() throws {
    folder = try TemporaryFolder()
    var rows: [Measurement] = []
    for number in 1...3 {
      var own = try Measurement.rows(
        of: "--quick --seed \(number) --backend mutex --trials 1", run: "run-\(number)")
      if number < 3 {
        for index in own.indices { own[index].roles = Self.roles(index) }
        _ = try folder.file("\(number).roles.csv", containing: Self.text(ofRolesIn: own))
      }
      _ = try folder.file("\(number).csv", containing: MeasurementCSV.text(of: own))
      rows += own
    }
    self.rows = rows
  }

  private static func roles(_ index: Int) -> [Measurement.Role] {
    [("reader", index + 2), ("writer", 1)].map { name, operations in
      Measurement.Role(
        name: name, operations: [operations], seconds: 0.5,
        latency: Measurement.Latency())
    }
  }

  private static func text(ofRolesIn rows: [Measurement]) -> String {
    RoleCSV.text(of: rows)
  }

  private func merge(_ files: String, _ options: String = "") async throws -> TestedProgram.Outcome
  {
    try await TestedProgram.weakbench.run("merge \(files) --output all.csv \(options)", in: folder)
  }

  @Test func `every trial has its roles again`() async throws {
    // As a shell's *.csv would have them.
    let outcome = try await merge(
      "1.csv 1.roles.csv 2.csv 2.roles.csv 3.csv")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try ResultsFile.rows(in: "\(folder.path)/all.csv") == rows)
    #expect(try folder.text(of: "all.roles.csv") == Self.text(ofRolesIn: rows))
  }

  @Test func `what nobody has beside it, nobody has afterwards`() async throws {
    for name in ["1.roles.csv", "2.roles.csv"] {
      try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    }
    // Of an older merge.
    _ = try folder.file("all.roles.csv", containing: "old")
    let refused = try await merge("1.csv 2.csv 3.csv")
    #expect(refused.status == ExitStatus.usage.rawValue)
    #expect(refused.errors.contains("all.roles.csv exists already"), "\(refused.errors)")
    #expect(try await merge("1.csv 2.csv 3.csv", "--force").status == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == ["1.csv", "2.csv", "3.csv", "all.csv", "errors", "output"])
  }

  @Test(arguments: [
    ("2.roles.csv", "reader,1,", "reader,one,", "line 2, column 3 (workers)"),
    ("2.roles.csv", "\nrun", "\nrun-9,\nrun", "line 2"),
    ("2.roles.csv", "row,", "row,later,", "the column 'later' is not one of this version's"),
  ])
  func `a damaged file beside the rows is bad data, with its name and place`(
    _ name: String, _ text: String, _ damage: String, _ place: String
  ) async throws {
    let whole = try folder.text(of: name)
    let damaged = whole.replacing(text, with: damage, maxReplacements: 1)
    #expect(damaged != whole)
    _ = try folder.file(name, containing: damaged)
    let outcome = try await merge("1.csv 2.csv 3.csv")
    #expect(outcome.status == ExitStatus.badData.rawValue)
    #expect(outcome.errors.contains(name) && outcome.errors.contains(place), "\(outcome.errors)")
    #expect(throws: (any Error).self) { try folder.text(of: "all.csv") }
    #expect(throws: (any Error).self) { try folder.text(of: "all.roles.csv") }
  }

  @Test func `standard output takes the rows, and what it does not take is said`() async throws {
    let outcome = try await TestedProgram.weakbench.run(
      "merge 1.csv 2.csv 3.csv --output -", in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try MeasurementCSV.measurements(in: outcome.output).count == rows.count)
    #expect(outcome.errors.contains("without a file, no .roles.csv"))
  }
}

extension Measurement {
  /// The rows that a plan would have, made without a trial.
  fileprivate static func rows(of line: String, run: String) throws -> [Measurement] {
    let template = RowTemplate(
      run: run, environment: EnvironmentProbe.environment(machine: "test"))
    return try RunPlan.of(line).trials.enumerated().map { index, trial in
      template.measurement(
        number: index + 1, trial, .example, at: UTCTime(secondsSince1970: 1_795_262_220))
    }
  }
}
