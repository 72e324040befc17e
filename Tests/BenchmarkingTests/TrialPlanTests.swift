import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

@Suite struct TrialPlanTests {
  private func plan(seed: UInt64 = 1) -> TrialPlan {
    TrialPlan(
      contestants: Contestant.all(for: .weakArray), workloads: Workload.all(for: .weakArray),
      threads: [1, 4], entries: [64], trials: 3, seed: Seed(seed)!, warmupSeconds: 0.1, seconds: 1)
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

  @Test func `sessions follow each other, each of whole rounds`() {
    func sessions(_ count: Int, trials: Int) -> [Int] {
      let specifications = TrialPlan(
        contestants: Contestant.all(for: .weakArray), workloads: Workload.all(for: .weakArray),
        threads: [1], entries: [64], trials: trials, sessions: count, seed: Seed(1)!,
        warmupSeconds: 0.1, seconds: 1
      ).specifications
      let rounds = Dictionary(grouping: specifications, by: \.number)
      return (1...trials).flatMap { Set(rounds[$0, default: []].map(\.session)).sorted() }
    }
    #expect(sessions(2, trials: 5) == [1, 1, 1, 2, 2])
    #expect(sessions(5, trials: 5) == [1, 2, 3, 4, 5])
    #expect(sessions(1, trials: 3) == [1, 1, 1])
  }

  @Test func `contestants of a cell follow each other, turned round in the next round`() {
    let rounds = Dictionary(grouping: plan().specifications, by: \.number)
    func names(_ round: Int, _ workload: String) -> [String] {
      let cell = rounds[round, default: []].enumerated()
        .filter { $0.element.workload.name == workload && $0.element.threads == 4 }
      #expect(cell.last!.offset - cell.first!.offset == cell.count - 1, "not side by side")
      return cell.map(\.element.contestant.name)
    }
    for workload in ["read-only", "mixed"] {
      #expect(names(1, workload).count > 5)
      #expect(names(1, workload) == names(2, workload).reversed())
      #expect(names(3, workload) != names(2, workload).reversed())
    }
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
