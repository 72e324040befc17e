import TerminalIO
import ProgramTesting
import BenchmarkCommands
import ArgumentParser
import Choosing
import Foundation
import Measurements
import Testing
import WeakCollections

@testable import weakbench

/// What `choose` answers from rows of a benchmark.
@Suite struct ChooseTests {
  /// Three trials each of two backends, at 1 and 8 threads of a machine with 4 cores.
  static func rows(
    lockFree: [Double] = [60, 61, 62], mutex: [Double] = [80, 81, 82]
  ) -> [Measurements.Measurement] {
    let costs = [("lock-free", lockFree), ("mutex", mutex)]
    var rows: [Measurements.Measurement] = []
    for (backend, times) in costs {
      for threads in [1, 8] {
        for time in times {
          var row = Measurements.Measurement.example(
            rows.count + 1, backend, threads: threads, nanosecondsPerOperation: time)
          row.environment.kernel = "Linux 6.18.44 x86_64"
          row.environment.mutexFlavor = "priority-inheritance"
          row.environment.cores = 4
          row.bytes.livePerEntry = backend == "mutex" ? 20 : 40
          rows.append(row)
        }
      }
    }
    return rows
  }

  private static func report(
    _ rows: [Measurements.Measurement], _ line: String = "--workload read-heavy"
  ) throws -> ChoiceReport {
    let words = "--collection dictionary \(line)".split(separator: " ").map(String.init)
    let command = try ChooseCommand.parse(words)
    let source = try ChoiceSource(rows, command.selection, cores: try command.choice.givenCores())
    let profile = try command.choice.workloadProfile(otherwiseCores: source.key.cores)
    return ChoiceReport(profile, .throughput, source)
  }

  @Test func `a pick has its costs, its margin and the rows it rests on`() throws {
    let report = try Self.report(Self.rows(), "--workload read-heavy --threads 8")
    #expect(report.status == .fine)
    #expect(report.recommendation.backend == .lockFree)
    #expect(report.profile.cores == 4)
    #expect(report.rows == ["run-1-4", "run-1-5", "run-1-6", "run-1-10", "run-1-11", "run-1-12"])
    let text = ChoiceText(report: report, explains: false).text
    #expect(
      text.hasPrefix("lock-free, about 61.0 (60.0–62.0) ns an operation, 40.0 bytes an entry"))
    #expect(text.contains("\nnext: mutex, 1.33 times as dear\n"))
    #expect(!text.contains("undecided") && !text.contains("outside"))
  }

  @Test func `it ends with the lines to paste`() throws {
    let text = ChoiceText(report: try Self.report(Self.rows()), explains: true).text
    let lines = text.split(separator: "\n").suffix(2)
    #expect(
      Array(lines) == [
        "  let entries = LockFreeDictionary<Key, Value>()",
        "  traits: [\"LockFreeBackend\"]  // in Package.swift, or: swift build --traits LockFreeBackend",
      ])
    #expect(text.contains("rows: run-1-1 run-1-2 run-1-3 run-1-7"))
    #expect(text.contains("mutex      81.0 (80.0–82.0)"))
  }

  @Test func `what trials do not tell apart is undecided, the cheapest first`() throws {
    let report = try Self.report(Self.rows(lockFree: [60, 61, 100]))
    #expect(report.status == .undecided)
    let text = ChoiceText(report: report, explains: false).text
    #expect(text.contains("\nundecided between: lock-free, mutex; "))
  }

  @Test(arguments: [
    ("--workload read-heavy --threads 64", "8 times the threads measured"),
    ("--workload read-heavy --size 64", "1/16 of the size measured"),
    ("--mix update=100", "100 % of the operations are of no measured mix"),
    ("--workload leak-monitor", "the workload leak-monitor was not measured"),
  ])
  func `what lies outside is said, with status 4`(_ line: String, _ said: String) throws {
    let report = try Self.report(Self.rows(), line)
    #expect(report.status == .outsideMeasured)
    #expect(report.recommendation.backend == .lockFree)
    let text = ChoiceText(report: report, explains: false).text
    #expect(text.contains("\noutside what was measured: "), "\(text)")
    #expect(text.contains(said), "\(text)")
  }

  @Test func `cores that were not measured mean the documented default`() throws {
    let report = try Self.report(Self.rows(), "--workload read-heavy --cores 64")
    #expect(report.status == .outsideMeasured && !report.recommendation.isCalibrated)
  }

  @Test(arguments: [
    ("--machine", "a-machine", "amd-epyc-2c-24gib-debian-12"),
    ("--allocator", "jemalloc", "system"),
    ("--compiler", "6.4", "6.3.1"),
  ])
  func `rows of several machines, allocators or compilers are refused unless one is named`(
    _ option: String, _ other: String, _ mine: String
  ) throws {
    var rows = Self.rows()
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].identity.row += "-other"
      switch option {
      case "--machine": rows[index].environment.machine = other
      case "--allocator": rows[index].environment.allocator = other
      default: rows[index].environment.swift = "swift-\(other)"
      }
    }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData)
    #expect(refusal.description.contains(option) && refusal.description.contains("'\(other)'"))
    for (name, backend) in [(mine, Backend.lockFree), (other, .mutex)] {
      let report = try Self.report(rows, "--workload read-heavy \(option) \(name)")
      #expect(report.recommendation.ranking.map(\.backend) == [backend])
    }
    let unknown = try commandError {
      _ = try Self.report(rows, "--workload read-heavy \(option) none")
    }
    #expect(unknown.status == .usage && unknown.description.contains(mine))
  }

  @Test func `rows of a build not fit to measure are refused unless they are asked for`() throws {
    var rows = Self.rows()
    for index in rows.indices.prefix(2) { rows[index].environment.buildConfiguration = "debug" }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData)
    #expect(
      refusal.description.hasPrefix("2 of 12 rows are of a build not fit to measure, 'debug'"))
    let release = try Self.report(rows, "--workload read-heavy --configuration release")
    #expect(release.rows.count == 4)
    let debug = try Self.report(rows, "--workload read-heavy --configuration debug")
    #expect(debug.recommendation.ranking.map(\.backend) == [.lockFree])
  }

  @Test func `the rows on the cores that are asked for count`() throws {
    var rows = Self.rows()
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].environment.cores = 16
    }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData && refusal.description.contains("--cores"))
    let report = try Self.report(rows, "--workload read-heavy --cores 16")
    #expect(report.recommendation.ranking.map(\.backend) == [.mutex])
  }

  @Test func `rows that cost nothing are bad data`() throws {
    let rows = [Measurements.Measurement.example(1, "ns-lock", kind: .peer)]
    #expect(try commandError { _ = try Self.report(rows) }.status == .badData)
  }

  @Test func `an unknown objective, weight or format is a slip`() throws {
    for line in ["--objective speed", "--memory-weight 2", "--machine none"] {
      let command = try ChooseCommand.parse(
        "--collection dictionary --workload mixed \(line)".split(separator: " ").map(String.init))
      #expect(try commandError { _ = try command.answer() }.status == .usage)
    }
  }
}
