import TerminalIO
import ProgramTesting
import Benchmarking
import Measurements
import Testing
import Workloads

@testable import weakbench

@Suite struct ShardTests {
  @Test(arguments: [1, 2, 3, 7])
  func `the shards together are the plan, and no trial is in two`(_ count: Int) throws {
    let whole = try RunPlan.of("--seed 5")
    let parts = try (1...count).map { try RunPlan.of("--seed 5 --shard \($0)/\(count)") }
    #expect(parts.reduce(0) { $0 + $1.trials.count } == whole.trials.count)
    #expect(Set(parts.flatMap(\.trials)) == Set(whole.trials))
    #expect(parts.allSatisfy { $0.whole == whole.trials })
  }

  @Test func `contestants that meet the same work are in one shard, in all rounds`() throws {
    let parts = try (1...4).map { try RunPlan.of("--seed 5 --shard \($0)/4").trials }
    var places: [String: Set<Int>] = [:]
    for (number, trials) in parts.enumerated() {
      for trial in trials {
        let work =
          "\(trial.contestant.collection) \(trial.workload.name) \(trial.threads) \(trial.size)"
        places[work, default: []].insert(number)
      }
    }
    #expect(places.count > 40)
    #expect(places.values.allSatisfy { $0.count == 1 })
  }

  @Test func `shards are about equally long`() throws {
    let seconds = try (1...4).map { try RunPlan.of("--seed 5 --shard \($0)/4").estimatedSeconds }
    let (least, most) = (try #require(seconds.min()), try #require(seconds.max()))
    #expect(most - least < 0.15 * most)
  }

  @Test func `a shard keeps the order of the plan`() throws {
    let whole = try RunPlan.of("--quick --seed 5").trials
    let part = try RunPlan.of("--quick --seed 5 --shard 2/3").trials
    #expect(whole.filter(Set(part).contains) == part)
  }

  @Test func `one name stands for the plan of all shards, another for any other`() throws {
    let environment = EnvironmentProbe.environment(machine: nil)
    func name(_ line: String) throws -> String {
      PlanName.text(of: try RunPlan.of(line).whole.map(PlannedRow.init), in: environment)
    }
    let plan = try name("--quick --seed 5")
    #expect(plan.wholeMatch(of: /plan-[0-9a-f]{16}/) != nil)
    #expect(try name("--quick --seed 5 --shard 2/3") == plan)
    for other in ["--quick --seed 6", "--quick --seed 5 --size 64", "--quick --seed 5 --trials 3"] {
      #expect(try name(other) != plan)
    }
  }

  @Test(arguments: [
    ("--shard 0/2 --seed 1", "I/N"), ("--shard 3/2 --seed 1", "I/N"),
    ("--shard 2 --seed 1", "I/N"), ("--shard 1/0 --seed 1", "I/N"),
    ("--shard 1/99999 --seed 1", "I/N"), ("--shard 1/2", "allowed: --shard with --seed"),
    ("--quick --shard 1/13 --seed 1", "the plan has 12 comparisons"),
    ("--resume", "allowed: --resume with --seed"),
  ])
  func `what is no shard is one line that says what is`(_ line: String, _ hint: String) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
  }
}
