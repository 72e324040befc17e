import BenchmarkCommands
import Benchmarking
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing

@testable import BenchmarkProgram

@Suite struct OutputDestinationTests {
  private static func destination(_ line: String) throws -> OutputDestination {
    try OutputDestination(RunPlan.options(line), defaultName: "weakbench-1.csv")
  }

  @Test func `without a path rows go to a new file in the caller's directory`() throws {
    let here = FileManager.default.currentDirectoryPath
    #expect(try Self.destination("") == .new(path: "\(here)/weakbench-1.csv"))
    #expect(try Self.destination("--csv a/b.csv") == .new(path: "\(here)/a/b.csv"))
    #expect(try Self.destination("--csv -") == .standardOutput)
  }

  @Test func `a page of rows is beside them, and replaces only with them`() throws {
    let here = FileManager.default.currentDirectoryPath
    #expect(try Self.destination("--csv a/b.csv").page() == .new(path: "\(here)/a/b.html"))
    #expect(try Self.destination("--csv x --force").page() == .replacing(path: "\(here)/x.html"))
    #expect(
      try Self.destination("--csv b.csv --append").page() == .replacing(path: "\(here)/b.html"))
    let error = try commandError { _ = try Self.destination("--csv -").page() }
    #expect(error.status == .usage)
  }

  @Test(arguments: ["--append", "--force", "--csv - --force", "--csv x --append --force"])
  func `flags that need a file, or each other's absence, are refused`(_ line: String) throws {
    let error = try commandError { _ = try Self.destination(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains("allowed: "))
  }

  @Test func `a file that is there is refused without a flag, and is left alone`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("rows.csv", containing: "mine")
    func refusal(unless flags: [String]) throws -> CommandError {
      try commandError { try OutputDestination.new(path: path).check(unless: flags) }
    }
    let reason = "\(path) exists already (allowed: "
    #expect(try refusal(unless: []) == .usage(reason + "the path of a new file)"))
    #expect(
      try refusal(unless: RunOptions.fileFlags)
        == .usage(reason + "--append, --force or the path of a new file)"))
    #expect(try folder.text(of: "rows.csv") == "mine")
    try OutputDestination.replacing(path: path).check()
    #expect(try folder.text(of: "rows.csv") == "mine")
  }

  @Test(arguments: [
    "show", "show --details", "show --scaling-law", "compare --by backend --allow-undecided",
    "choose --workload mixed", "merge --output -",
  ])
  func `rows come from a pipe as from a file`(_ command: String) async throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1), .example(2)])
    _ = try folder.file("rows.csv", containing: text)
    let fromFile = try await TestedProgram.weakbench.run("\(command) rows.csv", in: folder)
    let fromPipe = try await TestedProgram.weakbench.run("\(command) -", in: folder, input: text)
    #expect(fromPipe.status == fromFile.status)
    #expect(fromPipe.output == fromFile.output)
    let errors = fromFile.errors.replacing("rows.csv", with: "standard input")
    #expect(fromPipe.errors == errors)
    let damaged = try await TestedProgram.weakbench.run(
      "\(command) -", in: folder, input: text.replacing("subject", with: "sbject"))
    #expect(damaged.status == ExitStatus.badData.rawValue)
    #expect(damaged.errors.contains("standard input"), "\(damaged.errors)")
  }

  @Test(arguments: [
    ("show rows.csv --page FILE", "a.html"), ("show rows.csv --summary FILE", "a.csv"),
    ("compare rows.csv --by backend --base mutex --format json --output FILE", "a.json"),
    ("merge rows.csv --force --output FILE", "a.csv"),
    ("choose rows.csv --output FILE", "a.json"),
  ])
  func `a full disk leaves the old file, and the message names it`(
    _ command: String, _ name: String
  ) async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: ChooseTests.rows()))
    _ = try folder.file(name, containing: "old")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/link-\(name)", withDestinationPath: name)
    for path in [name, "link-\(name)"] {
      let line = command.replacing("FILE", with: path)
      let full = try await TestedProgram.weakbench.run(line, in: folder, fileBlocks: 1)
      #expect(full.status == ExitStatus.failed.rawValue, "\(full)")
      #expect(full.errors.contains(" bytes to \(folder.path)/\(path): "), "\(full.errors)")
      #expect(try folder.text(of: name) == "old")
      let names = try folder.names()
      #expect(names == ["errors", "output", "rows.csv", name, "link-\(name)"].sorted())
      _ = try await TestedProgram.weakbench.run(line, in: folder)
      #expect(try folder.text(of: name) != "old")
      #expect(try folder.names() == names)
      _ = try folder.file(name, containing: "old")
    }
  }

  @Test(arguments: ["rows.csv", "./rows.csv", "symbolic.csv", "hard.csv"])
  func `a file that is read is not written, whatever its name`(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1)])
    let path = try folder.file("rows.csv", containing: text)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/symbolic.csv", withDestinationPath: path)
    try FileManager.default.linkItem(atPath: path, toPath: "\(folder.path)/hard.csv")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/page.html", withDestinationPath: "\(folder.path)/\(name)")
    for line in [
      "merge rows.csv --output \(name) --force", "show rows.csv --summary \(name)",
      "show rows.csv --scaling-law --csv \(name)", "show rows.csv --page page.html",
      "compare rows.csv --by backend --output \(name)", "choose rows.csv --output \(name)",
      "choose rows.csv --workload mixed --output \(name)",
      "run --quick --profile rows.csv --csv \(name) --force",
    ] {
      let outcome = try await TestedProgram.weakbench.run(line, in: folder)
      #expect(outcome.status == ExitStatus.usage.rawValue, "\(line): \(outcome.errors)")
      #expect(outcome.errors.contains("which is read (allowed: another path)"), "\(line)")
      #expect(try folder.text(of: "rows.csv") == text, "\(line)")
    }
  }

  @Test func `no file is next to standard input`() {
    #expect(ResultsFile.withSidecars(["-"]) == ["-"])
    #expect(ResultsFile.withSidecars(["a.csv"]) == ["a.csv", "a.roles.csv", "a.noise.csv"])
    #expect(ResultsFile.withoutSidecars(["-", "-.roles.csv"]) == ["-", "-.roles.csv"])
  }

  @Test func `a file that is replaced may be standard output, or must have one of the endings`()
    throws
  {
    let here = FileManager.default.currentDirectoryPath
    #expect(OutputDestination(replacing: "-") == .standardOutput)
    #expect(OutputDestination(replacing: "a.md") == .replacing(path: "\(here)/a.md"))
    let error = try commandError {
      _ = try OutputDestination(replacing: "-", option: "--html", endings: ["html"])
    }
    #expect(error == .usage("--html '-' (allowed: a path that ends in .html)"))
  }

  @Test func `a path that cannot be written is refused`() throws {
    let folder = try TemporaryFolder()
    for path in [folder.path, "\(folder.path)/none/rows.csv"] {
      let error = try commandError { try OutputDestination.new(path: path).check() }
      #expect(error.status == .usage)
      #expect(!error.description.contains { $0.isNewline })
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  private static let header = MeasurementWriter(parts: [.keys]).header

  @Test(arguments: [
    "row,kind\n1,subject\n", "extra,\(header)", "\(header)cut of",
    "\n", "\"never closed",
  ])
  func `rows are not appended to a file of another shape`(_ text: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("rows.csv", containing: text)
    let error = try commandError {
      try OutputDestination.appending(path: path).check(MeasurementWriter.self, parts: [.keys])
    }
    #expect(error.status == .usage)
    #expect(error.description.contains("cannot be appended to"))
    #expect(try folder.text(of: "rows.csv") == text)
  }

  @Test func `rows are appended to a file of ours, to an empty one and to none`() throws {
    let folder = try TemporaryFolder()
    for text in [Self.header, "", nil] {
      let path = try folder.file("\(text?.count ?? -1).csv", containing: text)
      try OutputDestination.appending(path: path).check(MeasurementWriter.self, parts: [.keys])
    }
  }

  @Test func `a device has no rows to lose`() throws {
    try OutputDestination.new(path: "/dev/null").check()
    try OutputDestination.appending(path: "/dev/null").check(MeasurementWriter.self, parts: [])
  }
}

@Suite struct ProgressBarTests {
  private static let bar = ProgressBar(
    done: 36, total: 1266, secondsLeft: 861.2, label: "dictionary lock-free read-heavy ×4")

  @Test func `it shows what is done, the time left and what comes next`() {
    #expect(
      Self.bar.text(width: 100)
        == "░░░░░░░░░░░░░░░░░░░░  36/1,266  14 min 22 s left  dictionary lock-free read-heavy ×4")
  }

  @Test func `it fits on the line`() {
    for width in [0, 1, 10, 40, 79, 80, 81] {
      #expect(Self.bar.text(width: width).count <= max(1, width))
    }
  }

  @Test func `it fills as trials are done`() {
    let half = ProgressBar(done: 1, total: 2, secondsLeft: 0, label: "x").text(width: 80)
    #expect(half == "██████████░░░░░░░░░░  1/2  0 s left  x")
  }

  @Test func `the time left follows how long the beginning took`() {
    var left = TimeLeft(estimatedSeconds: 10)
    #expect(left.seconds(afterElapsed: 0) == 10)
    left.finish(estimatedSeconds: 2)
    #expect(left.seconds(afterElapsed: 4) == 16)
    left.finish(estimatedSeconds: 8)
    #expect(left.seconds(afterElapsed: 20) == 0)
  }
}

@Suite struct TextTests {
  @Test func `times are ISO 8601 in UTC`() {
    let time = UTCTime(secondsSince1970: 1_795_262_220)
    #expect(time.extended == "2026-11-21T11:57:00Z")
    #expect(time.compact == "20261121T115700Z")
  }

  @Test func `what somebody typed is quoted on one line`() {
    #expect("a\r\nb\u{1B}c".quotedOnOneLine == "'a b c'")
    #expect(String(repeating: "x", count: 99).quotedOnOneLine.count == 63)
  }
}
