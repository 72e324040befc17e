import ArgumentParser
import Benchmarking
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing

@testable import BenchmarkProgram

/// The program itself, as somebody runs it.
@Suite struct ProgramTests {
  /// Six configurations, as short as can be.
  private static let smallRun =
    "run --quick --collection dictionary --backend mutex --seconds 0.01 --csv - --allow-unoptimized"

  @Test(
    .enabled(if: TestedProgram.weakbench.isBuilt),
    arguments: [
      "run --threads 0", "show rows.csv --charts charts", "run --backend lockfree",
      "run --csv /none/a.csv", "--what", "run",
    ])
  func `bad input, and a debug build, end with one line, status 64, and no file`(
    _ line: String
  ) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakbench.run(line, in: folder)
    #expect(outcome.status == ExitStatus.usage.rawValue)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == ["output", "errors"])
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `rows go to standard output, and everything else to standard error`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakbench.run(
      "\(Self.smallRun) --trials 1",
      in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    // The header, the line of the session and the rows.
    #expect(outcome.output.split(separator: "\n").count == 8)
    let rows = try MeasurementCSV.measurements(in: outcome.output)
    #expect(rows.count == 6)
    #expect(rows.allSatisfy { $0.environment.buildConfiguration == BuildKind.name })
    #expect(outcome.errors.contains("not for decisions"))
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `a page of the rows is written beside them`() async throws {
    let folder = try TemporaryFolder()
    let line = Self.smallRun.replacing("--csv -", with: "--csv rows.csv --report")
    let outcome = try await TestedProgram.weakbench.run("\(line) --trials 1", in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    #expect(outcome.errors.contains("/rows.html is written: 6 rows"))
    let page = try folder.text(of: "rows.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("<svg"))
    let again = try await TestedProgram.weakbench.run("\(line) --trials 1 --force", in: folder)
    #expect(again.status == ExitStatus.fine.rawValue, "\(again.errors)")
    try FileManager.default.removeItem(atPath: "\(folder.path)/rows.csv")
    // The rows would be new, and the page is somebody's.
    #expect(try await TestedProgram.weakbench.run("\(line) --trials 1", in: folder).status == 64)
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt), arguments: [SIGINT, SIGTERM])
  func `an interruption keeps the rows, shows the table and ends with 130`(
    _ signal: Int32
  ) async throws {
    let program = try RunningProgram(.weakbench, "\(Self.smallRun) --trials 1000")
    var text = Data()
    var isInterrupted = false
    for await chunk in program.output {
      text += chunk
      // The header, the line of the session and two rows.
      let lines = text.filter { $0 == UInt8(ascii: "\n") }.count
      guard !isInterrupted, lines >= 4 else { continue }
      isInterrupted = true
      program.signal(signal)
    }
    #expect(await program.status() == ExitStatus.interrupted.rawValue)
    let rows = try MeasurementCSV.measurements(in: String(decoding: text, as: UTF8.self))
    #expect(rows.count >= 2)
    let said = String(decoding: await program.errors.reduce(into: Data(), +=), as: UTF8.self)
    #expect(said.contains("BACKEND"))
    #expect(said.contains("interrupted; \(rows.count) of "))
  }

  @Test(
    .enabled(if: TestedProgram.weakbench.isBuilt),
    arguments: ["--version", "list", "list --format json", "choose --names", "run --help"])
  func `what was asked for goes to standard output`(_ line: String) async throws {
    let outcome = try await TestedProgram.weakbench.run(line, in: TemporaryFolder())
    #expect(outcome.status == 0)
    #expect(!outcome.output.isEmpty)
    #expect(outcome.errors.isEmpty)
  }
}

@Suite struct ParsingMessageTests {
  private static func line(_ arguments: [String]) -> String? {
    do {
      _ = try WeakbenchCommand.parseAsRoot(arguments)
      return nil
    } catch {
      return ParsingMessage.line(for: error, arguments: arguments, of: WeakbenchCommand.self)
    }
  }

  @Test func `a mistyped option gets a suggestion and the options of its command`() throws {
    let line = try #require(Self.line(["run", "--thread", "4"]))
    #expect(line.contains("--threads"))
    #expect(line.contains("(allowed: --collection, --backend, --workload, --mix, --reads"))
    #expect(!line.contains { $0.isNewline })
  }

  @Test func `a mistyped command gets the commands`() throws {
    let line = try #require(Self.line(["rum"]))
    #expect(line.hasPrefix("unknown command 'rum'; did you mean run? (allowed: run, show"))
  }

  @Test(arguments: ["mutex", "mutex,"])
  func `a space between values gets the advice to write a comma`(_ first: String) throws {
    let line = try #require(Self.line(["run", "--backend", first, "lock-free"]))
    #expect(line.contains("; separate values by commas: --backend mutex,lock-free (allowed: "))
    let other = try #require(Self.line(["run", "--csv", "a.csv", "b.csv"]))
    #expect(!other.contains("commas"))
  }

  @Test func `a missing value is refused`() throws {
    #expect(try #require(Self.line(["run", "--csv"])).contains("--csv"))
  }
}

@Suite struct ExitStatusTests {
  @Test func `the page on benchmarking has the table of the enum under its heading`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/benchmarking.md"), encoding: .utf8)
    let sections = page.components(separatedBy: "\n## Exit statuses\n")
    #expect(sections.count == 2)
    let section = sections.last?.components(separatedBy: "\n## ").first ?? ""
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { $0 + "\n" }
    #expect(rows.joined() == ExitStatus.markdownTable)
  }

  @Test func `the numbers are those that scripts rely on`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 64, 65, 130])
  }

  @Test func `the help names every status and none of its lines wraps`() {
    let lines = WeakbenchCommand.helpMessage(columns: 80).split(separator: "\n")
    for status in ExitStatus.allCases {
      #expect(lines.contains { $0.hasSuffix("\(status.rawValue)  \(status.meaning)") })
    }
  }
}
