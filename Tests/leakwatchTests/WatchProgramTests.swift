import ProgramTesting
import TerminalIO
import Foundation
import LeakMonitoring
import Testing

@testable import leakwatch

/// Runs the program `leakwatch watch`.
@Suite(.enabled(if: TestedProgram.leakwatch.isBuilt)) struct WatchProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ line: String) async throws -> TestedProgram.Outcome {
    try await TestedProgram.leakwatch.run("watch \(line)", in: folder)
  }

  @Test func `the demo ends with its table and its page`() async throws {
    let outcome = try await run("--demo --seconds 0.2 --html leaks.html")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty && !outcome.output.contains("\u{1B}"))
    #expect(outcome.output.hasPrefix("CLASS "))
    #expect(try folder.text(of: "leaks.html").contains("LeakingDemo.Image"))
  }

  @Test func `a file is read once: it is empty, has a leak, a known leak or a damaged line`()
    async throws
  {
    _ = try folder.file("none.jsonl", containing: "")
    let none = try await run("none.jsonl --once")
    #expect(none.status == 2 && none.errors.contains("'none.jsonl' has no reports"))
    let line = LeakRecord.example().jsonLine
    _ = try folder.file("leaks.jsonl", containing: line + "\n")
    let found = try await run("leaks.jsonl --once --write-baseline known.json")
    #expect(
      found.status == 0 && found.output.contains("\nApp.Session     2    1       1     0  █\n"))
    #expect(try await run("leaks.jsonl --once").status == 1)
    #expect(try await run("leaks.jsonl --once --baseline known.json").status == 0)
    let outdated = try await run("none.jsonl --once --baseline known.json")
    #expect(
      outdated.status == 1 && outdated.output.contains("\noutdated: excess App.Session: none; "))
    _ = try folder.file("cut.jsonl", containing: "\(line)\n{\"schema\":")
    let cut = try await run("cut.jsonl --once")
    #expect(cut.status == 65 && cut.output.contains("App.Session"), "earlier lines are shown")
    #expect(cut.errors == "leakwatch: cut.jsonl:2:11: expected a value\n")
  }

  @Test func `a file is followed until an interrupt, which shows the table`() async throws {
    let path = try folder.file(
      "leaks.jsonl", containing: LeakRecord.example().jsonLine + "\n{\"schema\":")
    let program = try RunningProgram(.leakwatch, "watch \(path) --html \(folder.path)/leaks.html")
    // The program writes to standard error once it has read the file and handles signals.
    for await _ in program.errors { break }
    program.signal(SIGINT)
    var output = Data()
    for await chunk in program.output { output += chunk }
    #expect(await program.status() == ExitStatus.interrupted.rawValue)
    #expect(String(decoding: output, as: UTF8.self).contains("App.Session     2    1"))
    #expect(try folder.text(of: "leaks.html").contains("App.Session"))
  }
}
