import ProgramTesting
import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Choosing
import Foundation
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import BenchmarkProgram

@Suite struct ProfileTests {
  private static let example = """
    {
      "collection": "dictionary",
      "shares": {"read": 95, "insert": 3, "remove": 2},
      "threads": 8,
      "cores": 2,
      "entries": 64,
      "synchronousOnly": true
    }
    """

  private func profile(_ text: String) throws -> ProfileFile {
    try ProfileFile(Data(text.utf8), path: "profile.json")
  }

  @Test func `a profile describes the operations of a program, and every property is optional`()
    throws
  {
    let found = try profile(Self.example)
    #expect(found.collection == .dictionary)
    #expect(found.shares == (try OperationMix(read: 95, insert: 3, remove: 2)))
    #expect(found.threads == 8 && found.cores == 2 && found.entries == 64)
    #expect(found.synchronousOnly == true)
    let empty = try profile("{}")
    #expect(empty.collection == nil && empty.threads == nil && empty.synchronousOnly == nil)
  }

  @Test func `a profile of an earlier version, which calls the entries size, can be read`() throws {
    #expect(try profile(Self.example.replacing("entries", with: "size")) == profile(Self.example))
    #expect(throws: CommandError.self) { try profile("{\"size\": 0}") }
  }

  @Test func `run measures the workload of a profile, and flags override it`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("profile.json", containing: Self.example)
    let trials = try RunPlan.of("--profile \(path)").trials
    #expect(Set(trials.map(\.contestant.collection)) == [.dictionary])
    #expect(Set(trials.map(\.workload.mix.description)) == ["read=95,insert=3,remove=2"])
    #expect(Set(trials.map(\.threads)) == [8])
    #expect(Set(trials.map(\.entries)) == [64])
    #expect(!trials.contains { $0.contestant.name == "actor" })
    #expect(trials.contains { $0.contestant.name == "mutex" })
    let others = try RunPlan.of(
      "--profile \(path) --threads 1 --entries 32 --workload mixed --backend actor --collection weak-array"
    ).trials
    #expect(Set(others.map(\.threads)) == [1] && Set(others.map(\.entries)) == [32])
    #expect(Set(others.map(\.workload.name)) == ["mixed"])
    #expect(Set(others.map { "\($0.contestant.collection) \($0.contestant.name)" }).count == 1)
  }

  @Test func `choose reads the mix and the sizes of a profile, and flags override them`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("profile.json", containing: Self.example)
    let found = try ChoiceOptions.parse(["--profile", path]).wholeProfile()
    #expect(found.collection == .dictionary && found.threads == 8 && found.entries == 64)
    #expect(found.shares.read == 95 && found.synchronousOnly && found.cores == 2)
    let other = try ChoiceOptions.parse(
      ["--profile", path, "--threads", "2", "--workload", "exchange"]
    ).wholeProfile()
    #expect(other.threads == 2 && other.workload == "exchange" && other.shares.insert == 40)
  }

  @Test func `choose reads the properties of a profile beyond the mix`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file(
      "profile.json",
      containing: """
        {"collection": "dictionary", "shares": {"read": 100}, "liveFraction": 0.5, "churn": 0.25,
         "keyDistribution": "zipfian", "memoryWeight": 1}
        """)
    let found = try ChoiceOptions.parse(["--profile", path]).wholeProfile()
    #expect(found.liveFraction == 0.5 && found.churn == 0.25 && found.memoryWeight == 1)
    #expect(found.keyDistribution == "zipfian:0.99")
    let named = try ChoiceOptions.parse(["--profile", path, "--workload", "exchange"])
      .wholeProfile()
    #expect(named.liveFraction == 1 && named.churn == 0 && named.memoryWeight == 1)
    let light = try ChoiceOptions.parse(["--profile", path, "--memory-weight", "0.5"])
    #expect(try light.wholeProfile().memoryWeight == 0.5)
    let trials = try RunPlan.of("--profile \(path)").trials
    #expect(Set(trials.map(\.configuration.keyDistribution)) == ["zipfian:0.99"])
  }

  @Test func `a recorded profile can be read`() throws {
    let dictionary = RecordingDictionary(MutexDictionary<Int, Int>())
    for key in 0..<30 { dictionary[key] = key }
    for key in 0..<70 { _ = dictionary[key] }
    let recorded = try #require(dictionary.profile)
    let found = try ProfileFile(recorded.json, path: "profile.json")
    #expect(found.collection == .dictionary && found.threads == 1)
    #expect(found.shares == (try OperationMix(read: 70, insert: 30)))
    #expect(found.synchronousOnly == true && found.entries == recorded.entries)
  }

  @Test func `values above the limits of the file format are written as the limits`() throws {
    let profile = WorkloadProfile(
      collection: .dictionary, shares: OperationShares(read: 100), threads: 2000, cores: 3000,
      entries: 20_000_000, synchronousOnly: false)
    let found = try ProfileFile(profile.json, path: "profile.json")
    #expect(found.threads == 1024 && found.cores == 1024 && found.entries == 10_000_000)
  }

  @Test(arguments: [
    ("{\"churn\": 2}", "churn: expected a number from 0 to 1, found 2"),
    ("{\"keyDistribution\": \"zipfain\"}", "keyDistribution: "),
    ("{\"threads\": 8.5}", "threads: expected a whole number from 1 to 1024, found 8.5"),
    ("{\n  \"threds\": 8\n}", "line 2, column 3: threds: unknown name; did you mean threads?"),
    ("{\n  \"threads\": \"8\"\n}", "line 2, column 3: threads: expected a number"),
    (
      "{\"entries\": 0}",
      "line 1, column 2: entries: expected a whole number from 1 to 10000000, found 0"
    ),
    ("{\"collection\": \"set\"}", "collection: expected one of weak-array, dictionary"),
    ("{\"shares\": {\"read\": 95}}", "shares: the shares sum to 95; they must sum to 100"),
    (
      "{\"shares\": {\"raed\": 100}}",
      "line 1, column 13: shares.raed: unknown name; did you mean read?"
    ),
    (
      "{\"shares\": {\"read\": 99.5}}",
      "shares.read: expected a whole number from 0 to 100, found 99.5"
    ),
    ("{\"synchronousOnly\": 1}", "synchronousOnly: expected true or false"),
    ("{\"workload\": \"mixed\", \"shares\": {\"read\": 100}}", "a workload has shares of its own"),
    ("{\"workload\": \"churn\", \"churn\": 0.5}", "churn: a workload has churn of its own"),
    (
      "{\"workload\": \"mixed\", \"liveFraction\": 0.5}",
      "a workload has a live fraction of its own"
    ),
    ("[]", "expected an object"),
  ])
  func `an invalid profile is an error of one line with the position`(
    _ text: String, _ hint: String
  ) throws {
    let error = try commandError { _ = try profile(text) }
    #expect(error.status == .badData)
    #expect(error.description.hasPrefix("profile.json: "))
    #expect(error.description.contains(hint), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test(arguments: [
    ("{\n  \"threads\": oops\n}", "line 2, column 14: no JSON"),
    ("{\"threads\": 8,,}", "line 1, column 15: no JSON"),
    ("{\n", "line 2, column 1: the JSON ends too early"), ("", "line 1, column 1: the JSON ends"),
  ])
  func `a JSON syntax error is reported with line and column`(_ text: String, _ hint: String) throws
  {
    let error = try commandError { _ = try profile(text) }
    #expect(error.description.hasPrefix("profile.json: \(hint)"), "\(error)")
  }

  @Test(arguments: ["", "--collection dictionary", "--workload mixed", "--profile /none.json"])
  func `choose reports missing options as a usage error`(_ line: String) throws {
    let options = try ChoiceOptions.parse(line.split(separator: " ").map(String.init))
    #expect(try commandError { _ = try options.wholeProfile() }.status == .usage)
  }

  @Test func `for a machine without measurements, the program names the default and the commands`()
    async throws
  {
    let folder = try TemporaryFolder()
    _ = try folder.file("profile.json", containing: Self.example)
    let line = "choose --profile profile.json --cores 1000"
    let outcome = try await TestedProgram.weakbench.run(line, in: folder)
    #expect(outcome.status == ExitStatus.outsideMeasured.rawValue)
    #expect(outcome.output.hasPrefix("not measured; the default is lock-free\n"))
    #expect(
      outcome.output.contains(
        "\nto measure the question, in about a minute on a machine with 1,000 cores:\n  weakbench run "
      ))
    #expect(outcome.output.contains("documented default"))
  }
}

extension ChoiceOptions {
  /// Returns the profile from the options and from the file that they name.
  fileprivate func wholeProfile() throws -> WorkloadProfile {
    try workloadProfile(try operations.profileFile(), otherwiseCores: 2)
  }
}
