import ProgramTesting
import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Foundation
import Measurements
import Testing

@testable import BenchmarkProgram

struct CompareTests {
  private func plan(_ arguments: [String]) throws -> ComparePlan {
    try ComparePlan(CompareOptions.parse(arguments))
  }

  private func makeFile(
    _ folder: TemporaryFolder, _ name: String, around time: Double, sessions: Int = 4,
    _ backends: [(String, Measurement.Kind)] = [("mutex", .subject)]
  ) throws -> String {
    var rows: [Measurement] = []
    for number in 1...12 {
      for (place, backend) in backends.enumerated() {
        let ownTime = time * Double(place + 1) * (1 + Double(number) / 1000)
        var row = Measurement.example(
          number * 100 + place, backend.0, kind: backend.1, nanosecondsPerOperation: ownTime)
        row.trial.session = number % sessions + 1
        rows.append(row)
      }
    }
    return try folder.file(name, containing: MeasurementCSV.text(of: rows))
  }

  private func status(_ arguments: [String]) throws -> TerminalIO.ExitStatus {
    do {
      return try CompareResult(plan(arguments)).status
    } catch let error as CommandError {
      return error.status
    }
  }

  @Test func `the status is 1 for a regression, 3 if undecided, and 0 otherwise`() throws {
    let folder = try TemporaryFolder()
    let base = try makeFile(folder, "base.csv", around: 100)
    let slow = try makeFile(folder, "slow.csv", around: 120)
    let few = try makeFile(folder, "few.csv", around: 120, sessions: 1)
    #expect(try status([base, base]) == .fine)
    #expect(try status([base, slow]) == .found)
    #expect(try status([slow, base]) == .fine)
    #expect(try status([base, few]) == .undecided)
    #expect(try status([base, few, "--allow-undecided"]) == .fine)
    #expect(try status([base, slow, "--allow-undecided"]) == .found)
    #expect(try status([base, slow, "--threshold", "30%"]) == .fine)
    #expect(try status([base, slow, "--noise-floor", "30%"]) == .undecided)
    #expect(try status([base, slow, "--metric", "ops_per_second"]) == .found)
  }

  @Test func `damaged files and files without a common row exit with 65 and name the files`() throws
  {
    let folder = try TemporaryFolder()
    let base = try makeFile(folder, "base.csv", around: 100)
    let damaged = try folder.file("damaged.csv", containing: "schema,row\n1,2\n")
    let other = try makeFile(folder, "other.csv", around: 100, [("actor", .subject)])
    #expect(try status([base, damaged]) == .badData)
    #expect(try status([base, other]) == .badData)
    #expect(try status([base, base, "--threads", "64"]) == .usage)
    #expect(try status([base, base, "--metric", "p90_ns"]) == .badData)
    #expect {
      try CompareResult(plan([base, other]))
    } throws: { error in
      "\(error)" == "\(other) and \(base) have no row in common with ns_per_op; "
        + "measure both with the same options"
    }
  }

  @Test func `rows of another machine are refused in one line that names the option to allow it`()
    throws
  {
    let folder = try TemporaryFolder()
    let base = try makeFile(folder, "base.csv", around: 100)
    let text = try String(contentsOfFile: base, encoding: .utf8)
    let moved = try folder.file(
      "moved.csv", containing: text.replacingOccurrences(of: "amd-epyc-2c", with: "intel-4c"))
    #expect {
      try CompareResult(plan([base, moved]))
    } throws: { error in
      let error = error as? CommandError
      return error?.status == .badData
        && error!.description.contains(
          "machine: amd-epyc-2c-24gib-debian-12 against intel-4c-24gib-debian-12 "
            + "(--allow-different machine compares them nevertheless)")
    }
    #expect(try status([base, moved, "--allow-different", "machine,swift"]) == .fine)
  }

  @Test func `within a file all backends are compared with one, and peers do not count`() throws {
    let folder = try TemporaryFolder()
    let backends: [(String, Measurement.Kind)] = [
      ("mutex", .subject), ("lock-free", .subject), ("ns-lock", .peer),
    ]
    let file = try makeFile(folder, "rows.csv", around: 100, backends)
    #expect(try status([file, "--by", "backend"]) == .found)
    #expect(try status([file, "--by", "backend", "--base", "lock-free"]) == .fine)
    let own = [file, "--by", "backend", "--backend"]
    #expect(try status(own + ["lock-free"]) == .usage, "the base is not selected")
    #expect(try status(own + ["mutex,ns-lock"]) == .undecided, "peers alone decide nothing")
  }

  @Test func `rows that the candidate lacks are not ignored`() throws {
    let folder = try TemporaryFolder()
    let both: [(String, Measurement.Kind)] = [
      ("mutex", .subject), ("lock-free", .subject),
    ]
    let base = try makeFile(folder, "base.csv", around: 100, both)
    let candidate = try makeFile(folder, "candidate.csv", around: 100, [both[0]])
    #expect(try status([base, candidate]) == .undecided)
    #expect(try status([base, candidate, "--allow-undecided"]) == .fine)
    #expect(try status([candidate, base]) == .fine)
  }

  @Test(
    arguments: [
      [], ["a"], ["a", "b", "c"], ["a", "b", "--by", "backend"], ["a", "--by", "machine"],
      ["a", "b", "--base", "mutex"], ["a", "b", "--metric", "ns"],
      ["a", "b", "--threshold", "5"],
      ["a", "b", "--threshold", "-5%"], ["a", "b", "--noise-floor", "%"],
      ["a", "b", "--format", "html"], ["a", "b", "--allow-different", "weather"],
      ["a", "b", "--output", "/none/file"], ["a", "--save-baseline", "../up"],
      ["a", "--baseline", "never-saved"], ["a", "b", "--baseline", "main"],
      ["a", "--by", "backend", "--save-baseline", "main"],
    ])
  func `invalid arguments are refused with a list of what is allowed`(_ arguments: [String]) {
    #expect {
      try plan(arguments)
    } throws: { error in
      let error = error as? CommandError
      return error?.status == .usage && error!.description.contains("(allowed: ")
    }
  }

  @Test(.enabled(if: TestedProgram.weakbench.isBuilt))
  func `a baseline is saved, compared with, and replaced only if nothing is slower`() async throws {
    let folder = try TemporaryFolder()
    _ = try makeFile(folder, "base.csv", around: 100)
    _ = try makeFile(folder, "slow.csv", around: 120)
    func run(_ line: String) async throws -> TestedProgram.Outcome {
      try await TestedProgram.weakbench.run("compare \(line)", in: folder)
    }
    var outcome = try await run("base.csv --save-baseline main")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try folder.text(of: ".weakbench/main.csv") == folder.text(of: "base.csv"))
    outcome = try await run("slow.csv --baseline main --save-baseline main")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("slow.csv against baseline main"))
    #expect(outcome.errors.contains("1 slower"))
    #expect(outcome.errors.contains("; the baseline main is not saved\n"), "\(outcome.errors)")
    #expect(try folder.text(of: ".weakbench/main.csv") == folder.text(of: "base.csv"))
    outcome = try await run("slow.csv --baseline mian")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("did you mean main?"), "\(outcome.errors)")
    outcome = try await run("slow.csv base.csv --save-baseline main --format csv --output out.csv")
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    #expect(try folder.text(of: "out.csv").hasPrefix("verdict,metric,"))
  }
}
