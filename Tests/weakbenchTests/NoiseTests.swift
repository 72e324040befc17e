import ProgramTesting
import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Choosing
import Foundation
import Measurements
import Reporting
import SeededRandom
import Testing
import Workloads

@testable import weakbench

@Suite struct NoiseTests {
  /// Rows of an A/A run in which processes differ by up to a fifth.
  private func noiseRows(_ change: (inout Measurement) -> Void = { _ in })
    -> [Measurement]
  {
    (1...8).flatMap { fork in
      (1...2).map { number in
        var row = Measurement.example(
          100 * fork + number, nanosecondsPerOperation: 100 + Double(fork % 4 * 7 + number))
        row.trial.fork = fork
        change(&row)
        return row
      }
    }
  }

  private func rows(around time: Double) -> [Measurement] {
    (1...12).map { .example($0, nanosecondsPerOperation: time + Double($0) / 100) }
  }

  private func floor(_ folder: TemporaryFolder, _ options: String = "") throws -> NoiseFloor? {
    let arguments =
      ["\(folder.path)/base.csv", "\(folder.path)/rows.csv"]
      + options.split(separator: " ").map(String.init)
    return try CompareResult(ComparePlan(CompareOptions.parse(arguments))).comparison.noiseFloor
  }

  @Test func `compare finds the A/A run beside its files, and --noise-floor is stronger`() throws {
    let folder = try TemporaryFolder()
    for name in ["base", "rows"] {
      _ = try folder.file("\(name).csv", containing: MeasurementCSV.text(of: rows(around: 100)))
    }
    #expect(try floor(folder) == nil)
    let rows = MeasurementCSV.text(of: noiseRows())
    _ = try folder.file("base.noise.csv", containing: rows)
    let found = try #require(try floor(folder))
    #expect(found.source == .measured && found.part > 0.05)
    #expect(try floor(folder, "--noise-floor 1%") == NoiseFloor(measured: 0.01))
    #expect(try floor(folder, "--metric p99_ns")?.part == 0)
    _ = try folder.file("rows.noise.csv", containing: "damaged")
    #expect(throws: CommandError.self) { try floor(folder) }
  }

  @Test func `choose and regret find it too, wider for half of the trials`() throws {
    let folder = try TemporaryFolder()
    let rows = rows(around: 100)
    let path = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    func floor(_ options: String = "", _ objective: CostObjective = .throughput, share: Double = 1)
      throws -> Double
    {
      let option = try NoiseFloorOption.parse(options.split(separator: " ").map(String.init))
      return try CostNoise(option, beside: [path], rows, of: objective, share: share)
        .floor(threads: 1)
    }
    #expect(try floor() == Chooser.standardNoiseFloor)
    _ = try folder.file("rows.noise.csv", containing: MeasurementCSV.text(of: noiseRows()))
    #expect(try floor() > 0.05 && floor(share: 0.5) > floor())
    #expect(try floor("", .p99) == 0)
    #expect(try floor("--noise-floor 1%") == 0.01)
  }

  @Test func `an A/A run of another machine or allocator is not used`() throws {
    let folder = try TemporaryFolder()
    for name in ["base", "rows"] {
      _ = try folder.file("\(name).csv", containing: MeasurementCSV.text(of: rows(around: 100)))
    }
    for change: (inout Measurement) -> Void in [
      { $0.environment.machine = "another" }, { $0.environment.allocator = "jemalloc" },
      { $0.environment.cores = 4 },
    ] {
      let rows = MeasurementCSV.text(of: noiseRows(change))
      _ = try folder.file("rows.noise.csv", containing: rows)
      #expect(try floor(folder) == nil)
    }
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `a baseline is saved with the A/A run beside it, which later rows are held against`()
    async throws
  {
    let folder = try TemporaryFolder()
    for (name, time) in [("base", 100.0), ("rows", 104)] {
      _ = try folder.file("\(name).csv", containing: MeasurementCSV.text(of: rows(around: time)))
    }
    func run(_ line: String) async throws -> TestedProgram.Outcome {
      try await TestedProgram.weakbench.run("compare \(line)", in: folder)
    }
    #expect(try await run("base.csv --save-baseline main").status == 0)
    #expect(try await run("rows.csv --baseline main --threshold 1%").status == 1)
    let noise = MeasurementCSV.text(of: noiseRows())
    _ = try folder.file("base.noise.csv", containing: noise)
    #expect(try await run("base.csv --save-baseline main").status == 0)
    #expect(try folder.text(of: ".weakbench/main.noise.csv") == noise)
    // Four percent are less than the same code differs by.
    let within = try await run("rows.csv --baseline main --threshold 1%")
    #expect(within.status == 3, "\(within.output)\(within.errors)")
    #expect(try await run("rows.csv --baseline main.noise").status == 64)
    // Of rows without an A/A run, none of an older baseline stays.
    #expect(try await run("rows.csv --save-baseline main").status == 0)
    #expect(throws: (any Error).self) { try folder.text(of: ".weakbench/main.noise.csv") }
  }

  @Test func `an A/A run has the name of its rows`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("rows.csv", containing: "rows")
    _ = try folder.file("rows.noise.csv", containing: "noise")
    #expect(NoiseFile.path(beside: path) == "\(folder.path)/rows.noise.csv")
    #expect(NoiseFile.path(beside: "rows") == "rows.noise.csv")
  }

  @Test func `an A/A run is each contestant in many processes that take turns`() throws {
    let run = NoiseRun(usableCores: 2, seed: Seed(1)!)
    #expect(run.trials.count == 4 * 32)
    #expect(Set(run.trials.map(\.fork)) == Set(1...16))
    #expect(Set(run.trials.map(\.threads)) == [1, 2])
    #expect(NoiseRun(usableCores: 1, seed: Seed(1)!).trials.count == 2 * 32)
  }

  @Test func `the floor is a line for each number of threads`() throws {
    let noise = try #require(
      MachineNoise(
        of: noiseRows(), .nanosecondsPerOperation, drawingFrom: SplitMix64(seed: Seed.fixed)))
    let lines = NoiseText(noise).text.split(separator: "\n")
    #expect(lines[0].hasPrefix("NOISE FLOOR") && lines[0].hasSuffix("30 processes"))
    #expect(lines[1].hasPrefix("1 thread ") && lines[1].contains(" % ("))
    #expect(NoiseText(noise).figures.map(\.processes) == [1, 3, 10, 30])
    #expect(
      NoiseText(noise).figures.map(\.floor).sorted(by: >) == NoiseText(noise).figures.map(\.floor))
  }

  @Test(
    arguments: [
      "run --noise-floor --csv -", "machine --output a.noise.csv",
      "machine --noise-floor --output a.csv", "verdicts --runs 0", "summarize a.csv b.csv",
    ])
  func `what is not allowed is refused with what is`(_ line: String) async throws {
    guard TestedProgram.weakbench.isBuilt else { return }
    let outcome = try await TestedProgram.weakbench.run(line, in: TemporaryFolder())
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("(allowed: "), "\(outcome.errors)")
  }
}
