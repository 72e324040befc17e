import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

@Suite struct TrialPlanTests {
  private func plan(seed: UInt64 = 1) -> TrialPlan {
    TrialPlan(
      contestants: Contestant.all(for: .weakArray), workloads: Workload.all(for: .weakArray),
      threads: [1, 4], sizes: [64], trials: 3, seed: Seed(seed)!, warmupSeconds: 0.1, seconds: 1)
  }

  @Test func `each configuration comes once in each round`() {
    let specifications = plan().specifications
    let rounds = Dictionary(grouping: specifications, by: \.number)
    #expect(rounds.count == 3)
    #expect(Set(rounds.values.map { Set($0.map(\.configuration)) }).count == 1)
    #expect(Set(specifications).count == specifications.count)
  }

  @Test func `one seed gives one order, another seed another`() {
    #expect(plan().specifications == plan().specifications)
    #expect(
      plan(seed: 2).specifications.map(\.configuration)
        != plan().specifications.map(\.configuration))
  }

  @Test func `all contestants of a round meet the same keys`() {
    let rounds = Dictionary(grouping: plan().specifications, by: \.number)
    for round in rounds.values { #expect(Set(round.map(\.seed)).count == 1) }
  }

  @Test func `the published array meets only what it can do`() {
    let published = Contestant.all(for: .weakArray).first { $0.name == "published-queue" }!
    let supported = Workload.all(for: .weakArray).filter(published.supports).map(\.name)
    #expect(supported == ["read-only", "append-heavy", "leak-monitor"])
  }
}
