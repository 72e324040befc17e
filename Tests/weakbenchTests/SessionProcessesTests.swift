import ProgramTesting
import BenchmarkCommands
import TerminalIO
import Benchmarking
import Foundation
import Measurements
import Testing

@testable import BenchmarkProgram

@Suite struct SessionProcessesTests {
  private static let smallRun =
    "run --quick --collection dictionary --backend mutex --seconds 0.01 --allow-unoptimized"

  private func trials(sessions: Int) throws -> [TrialSpecification] {
    try RunPlan.of("--quick --backend mutex --seconds 0.01 --trials 2 --sessions \(sessions)")
      .trials
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `trials are spread over processes, whose rows say which`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakbench.run(
      "\(Self.smallRun) --trials 3 --sessions 2 --pause 0 --csv rows.csv", in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
    #expect(rows.count == 18)
    #expect(rows.allSatisfy { $0.trial.session == ($0.trial.number + 1) / 2 })
    #expect(Set(rows.map(\.session)).count == 2 && Set(rows.map(\.identity.row)).count == 18)
    #expect(outcome.errors.contains("18 trials in 2 sessions"))
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `a forked process makes a trial as this one would, and ends with its standard input`()
    throws
  {
    let trial = try #require(try trials(sessions: 1).first)
    let process = try TrialProcess(TestedProgram.weakbench.url.path, ["session"])
    let line = try #require(process.answer(to: TrialLine.text(trial)))
    guard case .result(let result) = TrialLine.value(TrialAnswer.self, in: line) else {
      Issue.record("\(line)")
      return
    }
    #expect(result.throughput.operations > 0)
    // Goes only when the process has ended.
    _ = consume process
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `what is no trial ends a forked process, which is a failed trial`() throws {
    let process = try TrialProcess(TestedProgram.weakbench.url.path, ["session"])
    #expect(process.answer(to: "{}") == nil)
    #expect(process.ending() == "its process ended with status 64")
    #expect(process.ending() == "its process ended with status 64")
  }

  @Test func `a process that ends instead of answering is a failed trial, and so is nonsense`()
    throws
  {
    let trials = try trials(sessions: 2)
    let folder = try TemporaryFolder()
    let parrot = try folder.file(
      "parrot", containing: "#!/bin/sh\nwhile read order; do echo what; done\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parrot)
    for (program, reason) in [
      ("/bin/false", "its process ended with status 1"), (parrot, "its process answered 'what'"),
    ] {
      let sessions = try SessionProcesses(for: trials, program: program)
      for trial in trials.prefix(3) {
        let failure = #expect(throws: TrialFailure.self) { try sessions.run(trial) }
        #expect(failure?.reason == reason)
      }
    }
  }

  @Test func `a program that is not there is said before anything is measured`() throws {
    let error = try commandError {
      _ = try SessionProcesses(for: trials(sessions: 2), program: "/nowhere/weakbench")
    }
    #expect(error.status == .failed)
    #expect(error.description.contains("a process for trials cannot be started"))
  }

  @Test func `answers come out as they went in, nonsense included`() throws {
    var result = TrialResult.example
    result.latency.p90Nanoseconds = .infinity
    for answer in [TrialAnswer.result(result), .failure("3 \"appends\"\nare lost")] {
      let line = TrialLine.text(answer)
      #expect(!line.contains("\n"))
      #expect(TrialLine.value(TrialAnswer.self, in: line) == answer)
    }
    #expect(TrialLine.value(TrialAnswer.self, in: "what") == nil)
  }

  @Test func `lines are read one by one, however they arrive`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for part in ["a\nb", "c\n\n", "rest"] { _ = write(ends[1], part, part.utf8.count) }
    close(ends[1])
    var reader = LineReader(ends[0])
    #expect(reader.next() == "a" && reader.next() == "bc" && reader.next() == "")
    #expect(reader.next() == nil)
    close(ends[0])
  }

  @Test(
    .enabled(if: TestedProgram.weakbench.isBuilt), .timeLimit(.minutes(10)),
    arguments: [SIGINT, SIGTERM, SIGKILL])
  func `whatever ends the run, finished rows are kept and no process stays behind`(
    _ signal: Int32
  ) async throws {
    let program = try RunningProgram(
      .weakbench, "\(Self.smallRun) --trials 400 --sessions 200 --pause 0 --csv -")
    var text = Data()
    var isEnded = false
    for await chunk in program.output {
      text += chunk
      // A row of the second session: two rounds of six configurations, below the header; each
      // session has a line.
      let lines = text.filter { $0 == UInt8(ascii: "\n") }.count
      guard !isEnded, lines > 15 else { continue }
      isEnded = true
      #expect(program.signalGroup(signal))
    }
    let status = await program.status()
    // Theirs is the same standard error: it ends with the last of them.
    let said = String(decoding: await program.errors.reduce(into: Data(), +=), as: UTF8.self)
    let rows = try MeasurementCSV.measurements(in: String(decoding: text, as: UTF8.self))
    #expect(Set(rows.compactMap(\.trial.session)).isSuperset(of: [1, 2]))
    guard signal != SIGKILL else { return #expect(status == SIGKILL) }
    #expect(status == ExitStatus.interrupted.rawValue)
    #expect(said.contains("interrupted; \(rows.count) of "), "\(said)")
    #expect(!said.contains("failed"), "\(said)")
  }
}
