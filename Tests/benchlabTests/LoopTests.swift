import ArgumentParser
import Benchmarking
import Foundation
import ProgramTesting
import TerminalIO
import Testing
import WeakCollections
import Workloads

@testable import benchlab

struct DrawLoopTests {
  static let contestants = Contestant.all(for: .dictionary).filter {
    DrawLoopTrial.supports($0) && $0.name != "empty-loop"
  }

  private func trial(
    batch: Int = 1, threads: Int = 1, operations: Int? = nil
  ) -> DrawLoopTrial {
    DrawLoopTrial(
      entries: 64, replacePercent: batch == 1 ? 10 : 0, batch: batch, threads: threads,
      seed: Seed(3)!,
      warmupSeconds: 0.002,
      seconds: 0.005, operationLimit: operations)
  }

  /// The loop on an array, by the letter.
  private func sumOfReads(_ trial: DrawLoopTrial, operations: Int) -> UInt64 {
    let replaceShare = UInt64(trial.replacePercent)
    var values = (0..<64).map { UInt64($0) }
    var (draw, sum) = (trial.drawSeeds[0], 0 as UInt64)
    for _ in 0..<operations {
      draw ^= draw << 13
      draw ^= draw >> 7
      draw ^= draw << 17
      let key = Int(draw % 64)
      if draw / (1 << 32) * 100 / (1 << 32) < replaceShare {
        values[key] = draw
      } else {
        sum &+= values[key]
      }
    }
    return sum
  }

  @Test(arguments: contestants)
  func `every map reads the same values for the same seed`(_ contestant: Contestant) async throws {
    let trial = trial(operations: 20_480)
    let report = try await trial.run(contestant)
    #expect(report.fault == nil)
    #expect(report.workers.map(\.operations) == [20_480])
    #expect(report.workers.map(\.sum) == [sumOfReads(trial, operations: 20_480)])
  }

  @Test(arguments: contestants.filter(DrawLoopTrial.supportsBatches))
  func `batches read the same values`(_ contestant: Contestant) async throws {
    let trial = trial(batch: 32, operations: 20_480)
    let report = try await trial.run(contestant)
    #expect(report.fault == nil)
    #expect(report.workers.map(\.operations) == [20_480])
    #expect(report.workers.map(\.sum) == [sumOfReads(trial, operations: 20_480)])
  }

  /// `java` and `javac`, if both are in the path.
  private static let hasJDK = ["java", "javac"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  @Test(.enabled(if: hasJDK, "needs java and javac"))
  func `the JDK reads the same values, with keys boxed in the loop and before`() async throws {
    let folder = try TemporaryFolder()
    let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Benchmarks/Peers/java").path
    let files = ["Loop", "TimedThread"].map { "\(sources)/\($0).java" }
    #expect(try await exitStatus(of: ["javac", "-d", folder.path] + files) == 0)
    let limited = trial(operations: 20_480)
    for loop in JavaLoop.all(try JavaProgram("Loop", folder: folder.path)) {
      let report = try loop.run(limited)
      #expect(report.fault == nil)
      #expect(report.workers.map(\.operations) == [20_480])
      #expect(report.workers.map(\.sum) == [sumOfReads(limited, operations: 20_480)])
    }
  }

  private func exitStatus(of command: [String]) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return process.terminationStatus
  }

  @Test(arguments: contestants)
  func `two threads replace and read until the time is up`(_ contestant: Contestant) async throws {
    let report = try await trial(threads: 2).run(contestant)
    #expect(report.fault == nil)
    #expect(report.workers.count == 2)
    #expect(report.workers.allSatisfy { $0.operations > 0 && $0.operations % 1024 == 0 })
    #expect(report.nanosecondsPerOperation > 0)
  }

  @Test func `the draws alone find nothing, which is no fault`() async throws {
    let report = try await trial(operations: 1024).run(.baseline(for: .dictionary))
    #expect(report.fault == nil)
    #expect(report.workers[0].misses > 0)
  }

  @Test func `a miss or a wrong key is a fault, and threads add up`() {
    let worker = DrawLoopReport.Worker(operations: 100, nanoseconds: 1000, sum: 0, misses: 0)
    var missing = worker
    missing.misses = 1
    #expect(DrawLoopReport(workers: [worker, worker], wrongKeys: 0).nanosecondsPerOperation == 5)
    #expect(DrawLoopReport(workers: [worker], wrongKeys: 0).fault == nil)
    #expect(DrawLoopReport(workers: [missing], wrongKeys: 0).fault?.hasPrefix("1 reads") == true)
    #expect(DrawLoopReport(workers: [worker], wrongKeys: 2).fault?.contains("2 keys") == true)
  }

  @Test func `threads draw different numbers, and each contestant the same`() {
    let seeds = trial(threads: 4).drawSeeds
    #expect(Set(seeds).count == 4)
    #expect(!seeds.contains(0))
    #expect(seeds == trial(threads: 4).drawSeeds)
  }
}

struct LoopPlanTests {
  private func plan(_ line: String) throws -> LoopPlan {
    try LoopPlan(LoopOptions.parse(line.split(separator: " ").map(String.init)))
  }

  @Test func `contestants take turns in each column, backwards in every second round`() throws {
    let plan = try plan("--backend mutex,lock-free --entries 64 --mixes 0,50 --trials 2")
    let names = plan.trials.map(\.contestant.name)
    #expect(names.prefix(8).elementsEqual((0..<4).flatMap { _ in ["mutex", "lock-free"] }))
    #expect(names.suffix(8).elementsEqual((0..<4).flatMap { _ in ["lock-free", "mutex"] }))
    let cells = plan.trials.prefix(8).map { LoopCell($0.loop).title }
    #expect(cells == ["0 % ×1", "0 % ×2", "50 % ×1", "50 % ×2"].flatMap { [$0, $0] })
    #expect(Set(plan.trials.prefix(8).map(\.loop.seed)).count == 1)
    #expect(plan.trials[0].loop.seed != plan.trials[8].loop.seed)
  }

  @Test func `a column of batches has only backends, which read`() throws {
    let plan = try plan(
      "--backend lock-free,empty-loop --entries 64 --mixes 0 --batches 512 --trials 1")
    #expect(plan.cells.map(\.title) == ["0 % ×1", "0 % ×2", "512 keys ×1", "512 keys ×2"])
    let batches = plan.trials.filter { $0.loop.batch > 1 }
    #expect(batches.map(\.contestant.name) == ["lock-free", "lock-free"])
    #expect(batches.allSatisfy { $0.loop.batch == 512 && $0.loop.replacePercent == 0 })
  }

  @Test func `all maps and baselines that the build has take part by default`() throws {
    let names = try plan("").contestants.map(\.name)
    let synchronous = Backend.allCases.filter(\.isSynchronous).map(\.rawValue)
    #expect(names.prefix(synchronous.count).elementsEqual(synchronous))
    #expect(names.suffix(2) == ["empty-loop", "unshared"])
  }

  @Test(arguments: [
    "--entries 1000", "--entries 1", "--mixes 101", "--threads 0", "--trials 0", "--seconds 0",
    "--backend actor", "--batches 1", "--batches 48", "--batches 2048", "--jdk /nowhere",
    "--csv /nowhere/loop.csv",
  ])
  func `what is not allowed is refused in one line`(_ line: String) throws {
    let error = try commandError { _ = try plan(line) }
    #expect(error.status == .usage)
    #expect(!error.description.contains("\n"))
    #expect(error.description.contains("allowed"))
  }
}

struct LoopReportTests {
  private let once = LoopCell(replacePercent: 0, threads: 1)
  private let twice = LoopCell(replacePercent: 10, threads: 2)

  private func report() -> LoopReport {
    var report = LoopReport(
      names: ["lock-free", "jdk", "empty-loop"], entries: [1024], cells: [once, twice],
      preamble: "One loop.")
    for (name, times) in [("lock-free", [4.0, 5, 6]), ("jdk", [8.0, 8, 10])] {
      for (index, time) in times.enumerated() {
        report.add(
          LoopReport.Row(
            contestant: name, entries: 1024, cell: once, trial: index + 1, seed: Seed(1)!,
            operations: 2048, nanosecondsPerOperation: time))
      }
    }
    return report
  }

  @Test func `the table has the best trial, the median and our time over the JDK's`() {
    #expect(
      report().text == """
        One loop.

        1,024 entries         0 % ×1  10 % ×2
        lock-free        4.00 (5.00)    – (–)
        jdk              8.00 (8.00)    – (–)
        empty-loop             – (–)    – (–)
        lock-free ÷ jdk  0.50 (0.63)    – (–)
        """)
  }

  @Test func `a row is a trial`() {
    let lines = report().csv.split(separator: "\n")
    #expect(
      lines[0] == "contestant,entries,replace_share,batch,threads,trial,seed,operations,ns_per_op")
    #expect(lines[1] == "lock-free,1024,0,1,1,1,1,2048,4.0")
    #expect(lines.count == 7)
  }

  @Test(.enabled(if: TestedProgram.benchlab.isBuilt))
  func `the program prints a table and writes the rows`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.benchlab.run(
      "loop --backend lock-free --entries 64 --mixes 10 --trials 2 --seconds 0.01 "
        + "--csv loop.csv --allow-unoptimized", in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("\n64 entries"))
    #expect(outcome.output.contains("\nlock-free  "))
    #expect(try folder.text(of: "loop.csv").split(separator: "\n").count == 5)
  }
}
