import TerminalIO
import ProgramTesting
import Benchmarking
import Measurements
import Testing

@testable import weakbench

/// Plans of open loops in parts: what a load comes to is found when the trials are made.
@Suite struct OpenLoopPlanTests {
  private static let line =
    "--mode open --collection dictionary --backend mutex,lock-free --mix read=100 --threads 1,2 "
    + "--trials 2 --seed 5"

  /// The rows of a plan whose capacities are these, the first trials of it alone if asked for.
  private func rows(
    _ options: String = "", first count: Int? = nil,
    capacity: (Measurement.Configuration) -> Double = { Double($0.threads) * 1_000_003 }
  ) throws -> [Measurement] {
    let rows = try LongRunExamples.rows("\(Self.line) \(options)").map { row in
      var row = row
      let load = try #require(row.configuration.pace.loadPercent)
      row.configuration.pace.targetOperationsPerSecond = CapacitySearch.target(
        ofCapacity: capacity(row.configuration), load: load)
      return row
    }
    return Array(rows.prefix(count ?? rows.count))
  }

  private func resumed(_ rows: [Measurement], _ options: String = "") throws -> RunPlan {
    let plan = try RunPlan.of("\(Self.line) \(options) --resume")
    return plan.making(
      try PlanResuming(plan: plan, environment: LongRunExamples.environment)
        .missing(in: "rows.csv", rows: rows))
  }

  @Test func `what has a row is not made again, whatever its capacity was`() throws {
    let rows = try rows()
    #expect(rows.count == 2 * 2 * 3 * 2)
    let read = try MeasurementCSV.measurements(in: MeasurementCSV.text(of: rows))
    #expect(try resumed(read).trials.isEmpty)
    #expect(try resumed(Array(rows.dropLast(7))).trials.count == 7)
    #expect(try resumed([]).trials == RunPlan.of(Self.line).trials)
  }

  @Test func `a capacity that a row tells is not sought again`() throws {
    // The whole first round, which is half of the plan.
    let left = try resumed(rows(first: 12))
    #expect(left.searchSeconds == 0)
    let targets = left.trials.map(\.configuration)
    #expect(Set(targets) == Set(try rows().map(\.configuration)))
  }

  @Test func `another load of a capacity that is known is a share of the same`() throws {
    let whole = try rows()
    let left = try resumed(whole.filter { $0.configuration.pace.loadPercent == 90 })
    #expect(left.searchSeconds == 0)
    for trial in left.trials {
      let load = try #require(trial.pace.loadPercent)
      let exact = Double(trial.threads * 1_000_003 * load) / 100
      // Nine tenths were rounded.
      #expect(abs(try #require(trial.pace.targetOperationsPerSecond) - exact) <= 2)
    }
  }

  @Test func `capacities that no row tells are sought, and no others`() async throws {
    var left = try resumed(
      rows().filter { $0.configuration.backend == "mutex" || $0.configuration.threads == 1 })
    var sought: Set<Measurement.Configuration> = []
    try await left.findCapacities(note: { _ in }) { trial throws(TrialFailure) in
      sought.insert(trial.configuration)
      return .example
    }
    #expect(sought.count == 1)
    #expect(sought.first?.backend == "lock-free" && sought.first?.threads == 2)
    #expect(left.trials.allSatisfy { $0.pace.targetOperationsPerSecond != nil })
  }

  @Test func `another load or mode is another plan, which is said`() throws {
    for (options, hint) in [
      ("--load 20", "has the load_percent 50"), ("--rate 100", "has the load_percent 50"),
    ] {
      let rows = try rows("--load 50")
      let error = try commandError { _ = try resumed(rows, options) }
      #expect(error.description.contains(hint), "\(error)")
    }
    let closed = try LongRunExamples.rows(
      Self.line.replacing("--mode open", with: "--mode closed"))
    #expect(
      try commandError { _ = try resumed(closed) }.description
        .contains("has the mode closed, this plan open"))
  }

  @Test func `all loads of a configuration are in one shard, which finds its capacity`() throws {
    let parts = try (1...2).map { try RunPlan.of("\(Self.line) --shard \($0)/2").trials }
    #expect(parts.reduce(0) { $0 + $1.count } == 24)
    for part in parts { #expect(Set(part.map(\.threads)).count == 1) }
  }

  @Test func `shards have one plan's name whatever their capacities, and merge`() throws {
    let files = try (1...2).map { number in
      ShardMerge.File(
        path: "\(number).csv",
        rows: try rows("--shard \(number)/2", capacity: { _ in Double(number) * 1e6 }))
    }
    let merged = try ShardMerge(files).rows
    #expect(merged.count == 24 && Set(merged.map(\.identity.plan)).count == 1)
    #expect(try rows("--load 50").first?.identity.plan != merged[0].identity.plan)
    var again = files[1].rows[0]
    again.identity.row = "run-2-1"
    again.configuration.pace.targetOperationsPerSecond = 7
    let twice = ShardMerge.File(path: "2.csv", rows: files[1].rows + [again])
    #expect(
      try commandError { _ = try ShardMerge([files[0], twice]) }.description
        .contains("are of one trial"))
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `the program resumes open loops at the targets that they had`() async throws {
    let folder = try TemporaryFolder()
    let line =
      "run --mode open --load 20,50 --collection dictionary --backend mutex --mix read=100 "
      + "--threads 1 --trials 2 --seconds 0.01 --seed 5 --csv rows.csv --allow-unoptimized "
      + "--no-progress --machine test --resume"
    let first = try await TestedProgram.weakbench.run(line, in: folder)
    #expect(first.status == 0 && first.errors.contains("capacity of "), "\(first.errors)")
    let all = try folder.text(of: "rows.csv")
    let targets = Set(try MeasurementCSV.measurements(in: all).map(\.configuration.pace))
    _ = try folder.file(
      "rows.csv", containing: all.split(separator: "\n").prefix(2).map { $0 + "\n" }.joined())
    let resumed = try await TestedProgram.weakbench.run(line, in: folder)
    #expect(resumed.status == 0 && !resumed.errors.contains("capacity of "), "\(resumed.errors)")
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
    #expect(rows.count == 4)
    // One of the two loads has its target from the other's.
    for pace in rows.map(\.configuration.pace) {
      #expect(
        targets.contains {
          let (one, other) = (
            $0.targetOperationsPerSecond ?? 0, pace.targetOperationsPerSecond ?? 9
          )
          return $0.loadPercent == pace.loadPercent && abs(one - other) <= 3
        })
    }
  }
}
