import ProgramTesting
import TerminalIO
import ArgumentParser
import Benchmarking
import Foundation
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import benchlab

@Suite struct SoakTests {
  private func plan(_ line: String) throws -> SoakPlan {
    let options = try SoakOptions.parse(line.split(separator: " ").map(String.init))
    return try SoakPlan(options, usableCores: 2, drawnSeed: Seed(7)!)
  }

  @Test func `without options mutex and lock-free take turns of a second for ten minutes`() throws {
    let plan = try plan("")
    #expect(plan.seconds == 600)
    #expect(plan.specifications.count == 6)
    #expect(plan.turnSeconds <= 1)
    let kinds = Set(plan.specifications.map { "\($0.contestant.collection) \($0.contestant.name)" })
    #expect(kinds.count == 4)
    #expect(Set(plan.specifications.map(\.threads)) == [2])
  }

  @Test(arguments: ["1", "0.1", "60"])
  func `even a short soak has enough turns for a verdict`(_ minutes: String) throws {
    let plan = try plan("--minutes \(minutes)")
    let turns = plan.seconds / plan.turnSeconds / Double(plan.specifications.count)
    #expect(turns * (1 - SoakSeries.warmUpFraction) >= Double(SoakSeries.samplesNeeded))
  }

  @Test(arguments: [
    "--minutes 0", "--minutes -1", "--minutes x", "--backend none", "--workload none",
    "--threads 0", "--collection x", "--backend published-queue --workload exchange",
  ])
  func `invalid options are refused in one line`(_ line: String) throws {
    let error = try commandError {
      _ = try plan(line + (line.hasPrefix("--backend pub") ? " --collection weak-array" : ""))
    }
    #expect(error.status == .usage)
    #expect(!error.description.contains("\n"))
    #expect(error.description.contains("allowed"))
  }

  @Test func `the table, the rows and the status have the verdicts`() throws {
    let plan = try plan("--collection dictionary")
    var series = plan.specifications.map { _ in SoakSeries() }
    for number in 0..<30 {
      series[0].append(.init(seconds: 1, operations: 1000 * number, liveBytes: 2000 * number))
      series[1].append(.init(seconds: 1, operations: 1000 * number, liveBytes: -12))
    }
    let report = SoakReport(plan.specifications, series)
    let lines = report.table.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasSuffix("2.0e0  2.0e0 … 2.0e0  growing"))
    #expect(lines[2].hasSuffix("0  0 … 0          flat"))
    #expect(report.status == .found)
    #expect(report.csv.split(separator: "\n").count == 61)
    #expect(SoakReport([], []).status == .fine)
    #expect(SoakReport(plan.specifications, [SoakSeries()]).status == .undecided)
  }

  /// Sends SIGINT to the program after its first output on standard error.
  @Test(.enabled(if: LiveBytes.now != nil, "needs the trait Jemalloc"))
  func `an interrupted soak prints its results so far and exits with 130`() async throws {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("benchlab")
    process.arguments = ["soak", "--minutes", "100", "--collection", "dictionary"]
    (process.standardOutput, process.standardError) = (output, errors)
    let text: String = try await withCheckedThrowingContinuation { continuation in
      do { try process.run() } catch { return continuation.resume(throwing: error) }
      // On its own thread, because it blocks.
      Thread.detachNewThread {
        _ = errors.fileHandleForReading.availableData
        kill(process.processIdentifier, SIGINT)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
    #expect(process.terminationStatus == ExitStatus.interrupted.rawValue)
    #expect(text.contains("COLLECTION"))
  }
}
