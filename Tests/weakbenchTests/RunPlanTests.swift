import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Measurements
import ProgramTesting
import TerminalIO
import Testing
import WeakCollections
import Workloads

@testable import BenchmarkProgram

@Suite struct RunPlanTests {
  @Test func `the standard matrix is every workload, backend and thread count, in three sessions`()
    throws
  {
    let trials = try RunPlan.of("").trials
    let subjects = trials.filter { $0.contestant.kind == .subject }
    let configurations = StandardMatrix.collections.map {
      Workload.standard(for: $0.subject).count * Backend.supporting($0).count
    }
    #expect(subjects.count == configurations.reduce(0, +) * 4 * 3)
    #expect(Set(trials.map(\.session)) == Set(1...3))
    #expect(Set(subjects.map(\.threads)) == [1, 2, 4, 8])
    #expect(Set(trials.map(\.entries)) == [1024])
    #expect(Set(trials).count == trials.count)
  }

  @Test func `peers and baselines of the standard matrix run on one thread and on one per core`()
    throws
  {
    let others = try RunPlan.of("").trials.filter { $0.contestant.kind != .subject }
    #expect(Set(others.map(\.threads)) == [1, 2])
    #expect(Set(others.map(\.contestant.name)) == ["ns-lock", "published-queue", "empty-loop"])
  }

  /// In a process of its own, because a registration lasts as long as the process.
  @Test func `a registered collection is measured like a backend`() async {
    await #expect(processExitsWith: .success) {
      let mine = Contestant(named: "mine", dictionary: MutexDictionary<Int, Int>.self)
      Contestant.register([mine])
      for (line, threads) in [("", [1, 2, 4, 8]), ("--quick", [1, 4])] {
        let trials = try RunPlan.of(line).trials.filter { $0.contestant == mine }
        #expect(Set(trials.map(\.threads)) == Set(threads))
        #expect(Set(trials.map(\.configuration.collection)) == ["dictionary"])
      }
      let trial = try RunPlan.of("--quick --backend mine --collection dictionary").trials[0]
      // A session is another process, which receives the trial as a line of text.
      #expect(TrialLine.value(TrialSpecification.self, in: TrialLine.text(trial)) == trial)
      #expect(Inventory.complete.collections.flatMap(\.contestants).map(\.name).contains("mine"))
    }
  }

  @Test(arguments: [1, 2, 3, 4, 64])
  func `the standard matrix ends within 18 minutes, with or without bytes`(_ cores: Int) throws {
    let plan = try RunPlan.of("", usableCores: cores)
    let bytes = AllocatorProbe.isAvailable ? 0 : 0.07
    #expect(plan.estimatedSeconds + bytes * Double(plan.trials.count) <= 18 * 60)
  }

  @Test func `quick is 168 subject rows and the baseline, in under two minutes`() throws {
    let plan = try RunPlan.of("--quick")
    let subjects = plan.trials.filter { $0.contestant.kind == .subject }
    #expect(subjects.count == 168)
    #expect(plan.trials.filter { $0.contestant.kind == .baseline }.count == 24)
    #expect(plan.trials.count == 192)
    #expect(plan.estimatedSeconds + 0.07 * 192 < 100)
    for collection in StandardMatrix.collections {
      let own = subjects.filter { $0.contestant.collection == collection }
      #expect(Set(own.map(\.workload.name)).count == 3)
      #expect(Set(own.map(\.contestant.name)).count == Backend.supporting(collection).count)
      #expect(Set(own.map(\.threads)) == [1, 4])
    }
  }

  @Test func `equal thread counts are run once`() throws {
    #expect(Set(try RunPlan.of("", usableCores: 1).trials.map(\.threads)) == [1, 2, 4])
    #expect(try RunPlan.of("--threads 2,2,1 --backend mutex").trials.count == 2 * 17 * 3)
  }

  @Test func `options replace their part of the matrix`() throws {
    let line =
      "--collection dictionary --backend lock-free,ns-lock --mix read=95,insert=5 --threads 3 "
      + "--entries 64,128 --seconds 0.2 --trials 2 --seed 42"
    let plan = try RunPlan.of(line)
    #expect(plan.trials.count == 2 * 2 * 2)
    #expect(plan.seed == Seed(42))
    let trial = try #require(plan.trials.first)
    #expect(trial.workload.name == "custom")
    #expect(trial.threads == 3)
    #expect(trial.seconds == 0.2)
    #expect(trial.warmupSeconds == 0.05)
  }

  @Test func `without the option trials, each session has one trial`() throws {
    let plan = try RunPlan.of("--quick --backend mutex --sessions 10")
    #expect(Set(plan.trials.map(\.number)) == Set(1...10))
    #expect(plan.trials.allSatisfy { $0.session == $0.number })
    #expect(try RunPlan.of("--quick --backend mutex --sessions 2").trials.map(\.number).max() == 2)
    #expect(Preamble.line(plan, .standardOutput).contains(" trials in 10 sessions, about "))
  }

  @Test func `extra sessions get two thirds of the time of the planned sessions`() throws {
    let plan = try RunPlan.of("--backend mutex,actor --workload mixed")
    let without = try RunPlan.of("--backend mutex,actor --workload mixed --extra 0")
    #expect(plan.extraSeconds == (without.estimatedSeconds * 2 / 3).rounded(.down))
    #expect(try RunPlan.of("--backend mutex --extra 7").extraSeconds == 7)
    for line in ["--quick", "--quick --sessions 5", "--sessions 2", "--trials 1", "--mode open"] {
      #expect(try RunPlan.of(line).extraSeconds == 0, "\(line)")
    }
    let error = try commandError { _ = try RunPlan.of("--mode open --extra 5") }
    #expect(error.description.contains("--extra in an open loop"))
  }

  @Test func `a workload that only one collection has is run for that collection`() throws {
    let trials = try RunPlan.of("--workload churn").trials
    #expect(Set(trials.map(\.contestant.collection)) == [.weakArray])
  }

  @Test func `given keys and values replace the workload's, and each distribution is run once`()
    throws
  {
    let line =
      "--collection dictionary --backend mutex --threads 1 --trials 1 --workload mixed,ycsb-a "
    let plain = try RunPlan.of(line).trials.map(\.configuration)
    #expect(Set(plain.map(\.keyDistribution)) == ["uniform", "scrambled-zipfian:0.99"])
    #expect(Set(plain.map(\.keyType) + plain.map(\.valueType)) == ["Int"])
    let drawn = try RunPlan.of(
      line + "--key-distribution zipfian,hotspot:10/90,zipfian:0.99 --keys string"
    )
    .trials.map(\.configuration)
    #expect(drawn.count == 4)
    #expect(Set(drawn.map(\.keyDistribution)) == ["zipfian:0.99", "hotspot:10/90"])
    #expect(Set(drawn.map(\.keyType)) == ["String"])
    let objects = try RunPlan.of(line + "--values object").trials.map(\.configuration)
    #expect(Set(objects.map(\.valueType)) == ["class"])
    #expect(Set(objects.map(\.keyDistribution)) == ["uniform", "scrambled-zipfian:0.99"])
  }

  @Test func `the same seed gives the same trials in the same order`() throws {
    #expect(try RunPlan.of("--seed 9").trials == RunPlan.of("--seed 9").trials)
    #expect(try RunPlan.of("--seed 9").trials != RunPlan.of("--seed 10").trials)
  }

  @Test(arguments: [
    ("--collection set", "weak-array, dictionary, weak-set"),
    ("--backend lockfree", "did you mean lock-free? (allowed: barrier-queue, mutex"),
    ("--backend mutex,", "allowed: barrier-queue, mutex"),
    ("--workload churm", "did you mean churn? (allowed: read-only"),
    ("--workload churn --collection dictionary", "(allowed: read-only, read-heavy"),
    ("--mix read=95", "they must sum to 100"),
    ("--mix raed=100", "did you mean read?"),
    ("--mix read=100 --workload churn", "allowed: one of them"),
    ("--backend published-queue --workload exchange", "published-queue: read-only"),
    ("--threads 0", "from 1 to 1024"),
    ("--threads -1", "from 1 to 1024"),
    ("--threads 1,two", "from 1 to 1024"),
    ("--entries 0", "from 1 to 10000000"),
    ("--entries -64", "from 1 to 10000000"),
    ("--seconds 0", "from 0.01 to 3600"),
    ("--seconds -1", "from 0.01 to 3600"),
    ("--seconds inf", "from 0.01 to 3600"),
    ("--trials 0", "from 1 to 1000"),
    ("--sessions 0", "from 1 to 1000"),
    ("--sessions 11 --trials 10", "at most as many as --trials, which is 10"),
    ("--trials 99999999999999999999", "from 1 to 1000"),
    (
      "--key-distribution zipfian",
      "--key-distribution is for dictionaries (allowed: with --collection dictionary)"
    ),
    ("--values object --collection weak-array", "--values is for dictionaries"),
    ("--collection dictionary --key-distribution zipf", "did you mean zipfian?"),
    (
      "--collection dictionary --workload churn",
      "churn is a workload of weak-array and weak-set, not of dictionary (allowed: read-only"
    ),
    ("--collection dictionary --key-distribution zipfian:x", "(allowed: uniform, zipfian:0.99"),
    ("--collection dictionary --key-distribution uniform,", "a name is missing"),
    ("--collection dictionary --keys sting", "did you mean string? (allowed: int, string)"),
    ("--collection dictionary --values string", "(allowed: int, object)"),
    ("--collection dictionary --keys string --backend unshared", "nothing supports"),
    ("--seed -1", "from 0 to 9007199254740991"),
    ("--seed 9007199254740992", "from 0 to 9007199254740991"),
  ])
  func `invalid options are an error of one line that lists what is allowed`(
    _ line: String, _ hint: String
  ) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }
}

extension RunPlan {
  /// Returns the plan of a command line, by default on a machine with two cores.
  static func of(_ line: String, usableCores: Int = 2) throws -> RunPlan {
    try RunPlan(options(line), usableCores: usableCores, drawnSeed: Seed(7)!)
  }

  static func options(_ line: String) throws -> RunOptions {
    try RunOptions.parse(line.split(separator: " ").map(String.init))
  }
}

/// Tests of the table that `--dry-run` prints.
@Suite struct PlanTableTests {
  private static let line = "--quick --collection dictionary --backend mutex --seed 5"

  private func lines(_ options: String) throws -> [String: String] {
    let text = PlanTable(plan: try RunPlan.of("\(Self.line) \(options)")).text
    let words = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    return Dictionary(
      words.map { ("\($0[0])", $0[1].trimmingPrefix { $0 == " " }.description) },
      uniquingKeysWith: { one, _ in one })
  }

  @Test func `properties with default values are not listed`() throws {
    let lines = try lines("")
    #expect(lines["backends"] == "mutex" && lines["threads"] == "1, 4")
    for name in ["driver", "mode", "roles", "session", "load_percent", "target_ops_per_second"] {
      #expect(lines[name] == nil)
    }
  }

  @Test(arguments: [
    ("--driver gcd", ["driver": "gcd"]),
    ("--roles writer=1,reader=2", ["roles": "reader=2 writer=1", "workload": "roles"]),
    ("--trials 4 --sessions 3", ["session": "1, 2, 3"]),
    ("--mode open", ["mode": "open", "load_percent": "50, 70, 90"]),
    ("--mode open --rate 900,20000", ["mode": "open", "target_ops_per_second": "900.0, 20000.0"]),
  ])
  func `requested properties are listed`(_ options: String, _ expected: [String: String]) throws {
    let lines = try lines(options)
    for (name, values) in expected { #expect(lines[name] == values, "\(name)") }
  }
}

/// A row of results; Foundation has a type of the same name.
typealias Measurement = Measurements.Measurement
