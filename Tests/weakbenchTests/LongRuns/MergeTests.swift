import ProgramTesting
import TerminalIO
import Measurements
import Testing

@testable import weakbench

@Suite struct MergeTests {
  private static func file(_ number: Int, of count: Int = 3, _ options: String = "") throws
    -> ShardMerge.File
  {
    ShardMerge.File(
      path: "\(number).csv",
      rows: try LongRunExamples.rows(
        "--quick --seed 5 \(options) --shard \(number)/\(count)", run: "run-\(number)-\(count)"))
  }

  @Test func `the files of all shards are the plan's rows, in whichever order they are given`()
    throws
  {
    let files = try [3, 1, 2].map { try Self.file($0) }
    let merge = try ShardMerge(files)
    #expect(merge.missing.isEmpty)
    #expect(merge.rows == files[1].rows + files[2].rows + files[0].rows)
    let planned = try RunPlan.of("--quick --seed 5").trials.map(PlannedRow.init)
    #expect(Set(merge.rows.map(PlannedRow.init)) == Set(planned))
    #expect(merge.rows.count == planned.count)
  }

  @Test func `missing shards are told`() throws {
    let merge = try ShardMerge([Self.file(2)])
    #expect(merge.missing == [Shard(1, of: 3), Shard(3, of: 3)])
  }

  @Test func `what is not of one plan, or there twice, is bad data`() throws {
    var environment = LongRunExamples.environment
    environment.commit = "g0000000"
    let elsewhere = ShardMerge.File(
      path: "b.csv",
      rows: try LongRunExamples.rows(
        "--quick --seed 5 --shard 2/3", run: "run-9", environment: environment))
    var twice = try Self.file(1)
    twice = ShardMerge.File(path: twice.path, rows: twice.rows + [twice.rows[0].renamed("run-9-1")])
    let copy = ShardMerge.File(path: "copy.csv", rows: try Self.file(1).rows)
    let unsharded = ShardMerge.File(
      path: "whole.csv", rows: try LongRunExamples.rows("--quick --seed 5"))
    let cases: [([ShardMerge.File], String)] = [
      (
        [try Self.file(1), elsewhere],
        "b.csv: is of another plan than 1.csv: its commit is g0000000"
      ),
      (
        [try Self.file(1), try Self.file(2, of: 3, "--seconds 0.3")], "its requested_seconds is 0.3"
      ),
      ([try Self.file(1), try Self.file(2, of: 3, "--size 64")], "or other workloads"),
      ([try Self.file(1), try Self.file(2, of: 4)], "is one of"),
      ([try Self.file(1), copy], "copy.csv: shard 1-of-3 is in 1.csv too"),
      ([twice], "are of one trial"),
      ([unsharded], "is of no shard"),
    ]
    for (files, hint) in cases {
      let error = try commandError { _ = try ShardMerge(files) }
      #expect(error.status == .badData)
      #expect(error.description.contains(hint), "\(error)")
    }
  }

  @Test func `the program merges files, and refuses while one is missing`() async throws {
    let folder = try TemporaryFolder()
    for number in 1...3 {
      _ = try folder.file(
        "\(number).csv", containing: MeasurementCSV.text(of: Self.file(number).rows))
    }
    let partly = try await TestedProgram.weakbench.run("merge 1.csv 3.csv --output rows.csv", in: folder)
    #expect(partly.status == ExitStatus.badData.rawValue)
    #expect(partly.errors.contains("of 3 shards, 2 is missing (allowed: "))
    #expect(throws: (any Error).self) { try folder.text(of: "rows.csv") }
    let allowed = try await TestedProgram.weakbench.run(
      "merge 1.csv 3.csv --output part.csv --allow-missing", in: folder)
    #expect(allowed.status == 0)
    let whole = try await TestedProgram.weakbench.run("merge 1.csv 2.csv 3.csv --output rows.csv", in: folder)
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(try MeasurementCSV.measurements(in: folder.text(of: "rows.csv")).count == 192)
    let again = try await TestedProgram.weakbench.run("merge 1.csv 2.csv 3.csv --output rows.csv", in: folder)
    #expect(again.status == ExitStatus.usage.rawValue)
  }

  @Test func `a column that this version does not know is not lost in silence`() async throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: try Self.file(1, of: 1).rows)
    let lines = text.split(separator: "\n").enumerated().map { $0 == 0 ? "\($1),later" : "\($1),7" }
    _ = try folder.file("a.csv", containing: lines.joined(separator: "\n") + "\n")
    let outcome = try await TestedProgram.weakbench.run("merge a.csv --output rows.csv", in: folder)
    #expect(outcome.status == ExitStatus.badData.rawValue)
    #expect(outcome.errors.contains("the column 'later' is not one of this version's"))
  }
}

extension Measurement {
  fileprivate func renamed(_ row: String) -> Measurement {
    var measurement = self
    measurement.identity.row = row
    return measurement
  }
}
