import Foundation
import LeakMonitoring
import LeakReports
import ProgramTesting
import RuntimeInspection
import Testing

/// Runs the program `leakwatch heap` on a program that leaks.
@Suite(
  .enabled(if: TestedProgram.leakwatch.isBuilt && HeapSnapshot.heapCapability == .available))
struct HeapProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ line: String) async throws -> TestedProgram.Outcome {
    try await TestedProgram.leakwatch.run("heap \(line)", in: folder)
  }

  @Test func `a running program is counted, and the difference shows what leaks`() async throws {
    // It runs until the test ends, however long that takes on a busy machine.
    let program = try RunningProgram(.leakwatch, "watch --demo --seconds 3600 --no-progress")
    defer { program.signal(SIGTERM) }
    let process = program.processIdentifier
    func sessions() async throws -> (HeapSnapshot, Int) {
      let outcome = try await run("\(process) --json --paths")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let file = try folder.file("one.jsonl", containing: outcome.output)
      let snapshot = try #require(try HeapSnapshot.snapshots(inFile: file).first)
      return (
        snapshot, snapshot.entries.first { $0.typeName.hasSuffix("Demo.Session") }?.count ?? 0
      )
    }
    var (first, count) = try await sessions()
    while count == 0 { (first, count) = try await sessions() }
    var (later, laterCount) = (first, count)
    while laterCount <= count { (later, laterCount) = try await sessions() }
    #expect(first.process == Int(process))
    let files = try [("a.jsonl", first), ("b.jsonl", later)].map { name, snapshot in
      try folder.file(name, containing: snapshot.jsonLine + "\n")
    }
    let difference = try await run("--diff a.jsonl b.jsonl --limit 1000")
    #expect(difference.output.contains("Demo.Session"), "\(difference.output)")
    #expect(try await run("--diff a.jsonl").errors.contains("has one snapshot"))
    _ = try folder.file(
      "both.jsonl",
      containing: try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined())
    #expect(try await run("--diff both.jsonl --limit 1000").output == difference.output)
  }

  @Test func `a page shows what the types of a running program retain`() async throws {
    // It runs until the test ends, however long that takes on a busy machine.
    let program = try RunningProgram(.leakwatch, "watch --demo --seconds 3600 --no-progress")
    defer { program.signal(SIGTERM) }
    let process = program.processIdentifier
    var outcome = try await run("\(process) --html page.html --json")
    // A process that has just started has no Swift objects yet.
    while outcome.status == 2 { outcome = try await run("\(process) --html page.html --json") }
    #expect(outcome.status == 0, "\(outcome.errors)")
    let file = try folder.file("one.jsonl", containing: outcome.output)
    let snapshot = try #require(try HeapSnapshot.snapshots(inFile: file).first)
    let tree = try #require(snapshot.dominators)
    #expect(tree.retainedBytes == snapshot.objectBytes + snapshot.otherBytes)
    let page = try folder.text(of: "page.html")
    #expect(page.contains("What retains memory") && page.contains("global variables</span>"))
    #expect(try await run("1 --html page.txt").status == 64)
    #expect(try await run("--diff page.html page.html --html page.html").status == 64)
  }

  @Test func `a signal makes a program take a snapshot`() async throws {
    let file = try folder.file("signal.jsonl", containing: "")
    let (results, result) = AsyncStream.makeStream(of: Result<HeapSnapshot, HeapUnavailable>.self)
    let trigger = HeapSnapshot.takeOnSignal(SIGUSR2) { result.yield($0) }
    kill(getpid(), SIGUSR2)
    for await snapshot in results {
      try snapshot.get().append(toFile: file)
      break
    }
    trigger.cancel()
    let snapshot = try #require(try HeapSnapshot.snapshots(inFile: file).first)
    #expect(snapshot.process == Int(getpid()) && snapshot.objectCount > 100)
  }

  @Test func `wrong arguments and processes are errors`() async throws {
    #expect(try await run("").status == 64)
    #expect(try await run("zero").status == 64)
    #expect(try await run("1 --limit 0").status == 64)
    #expect(try await run("--diff").status == 64)
    #expect(try await run("--diff missing.jsonl").status == 64)
    let missing = try await run("2147483647")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("there is no such process"), "\(missing.errors)")
    _ = try folder.file("cut.jsonl", containing: "{\"schema\":")
    #expect(try await run("--diff cut.jsonl").status == 65)
  }
}
