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

  @Test func `a round is made by one process, and processes take turns`() {
    let specifications = TrialPlan(
      contestants: Contestant.all(for: .weakArray), workloads: Workload.all(for: .weakArray),
      threads: [1], sizes: [64], trials: 5, forks: 2, seed: Seed(1)!, warmupSeconds: 0.1, seconds: 1
    ).specifications
    let rounds = Dictionary(grouping: specifications, by: \.number)
    let forks = (1...5).map { Set(rounds[$0, default: []].map(\.fork)) }
    #expect(forks == [[1], [2], [1], [2], [1]])
    #expect(plan().specifications.allSatisfy { $0.fork == 1 })
  }

  @Test func `the published array meets only what it can do`() {
    let published = Contestant.all(for: .weakArray).first { $0.name == "published-queue" }!
    let supported = Workload.all(for: .weakArray).filter(published.supports).map(\.name)
    #expect(
      supported == [
        "read-only", "append-heavy", "leak-monitor", "dead-ten", "dead-fifty", "dead-ninety",
        "drop-one", "drop-ten", "drop-fifty", "iterate-dying",
      ])
  }
}
