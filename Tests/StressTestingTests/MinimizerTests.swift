import Testing
import WeakCollections

@testable import StressTesting

@Suite struct MinimizerTests {
  @Test func `a scenario with a seeded fault is reduced to the two operations that matter`()
    async throws
  {
    var generator = ScenarioGenerator(for: .dictionary, seed: 11, limits: .schedules)
    // A scenario "fails" if one thread gets or inserts a key that another thread sets.
    @Sendable func fails(_ scenario: Scenario) -> Bool {
      scenario.threads.indices.contains { first in
        scenario.threads.indices.contains { second in
          first != second
            && scenario.threads[first].steps.contains { step in
              step.verb == .insert
                && scenario.threads[second].steps.contains { $0.verb == .set && $0.key == step.key }
            }
        }
      }
    }
    var minimized = 0
    for _ in 0..<3000 {
      let scenario = generator.next()
      guard fails(scenario) else { continue }
      let minimizer = Minimizer<Scenario, String> { fails($0) ? "failed" : nil }
      let (smallest, failure) = await minimizer.minimize(scenario, failing: "failed")
      #expect(failure == "failed")
      #expect(["s0-0/i0-1", "i0-0/s0-1"].contains(smallest.text))
      minimized += 1
    }
    #expect(minimized > 20)
  }

  @Test func `births, pins and re-entrance are removed only if the failure does not need them`()
    async throws
  {
    let scenario = try Scenario(parsing: "p0,d0/born0-1:pin:a/p3+,d3", for: .weakArray)
    let small = await Minimizer<Scenario, Bool> {
      $0.steps.contains { $0.verb == .drop } ? true : nil
    }
    .minimize(scenario, failing: true).scenario
    #expect(small.text == "d0")
    let special = await Minimizer<Scenario, Bool> { candidate in
      candidate.threads.contains { $0.birth != nil && $0.isPinned } && !candidate.reentrant.isEmpty
        ? true : nil
    }.minimize(scenario, failing: true).scenario
    #expect(special.threads.count { $0.birth != nil && $0.isPinned } == 1)
    #expect(special.reentrant.count == 1)
    #expect(special.steps.count == 1)
  }

  @Test func `a failure that needs half of many operations is reduced to that half`()
    async
  {
    var generator = ScenarioGenerator(for: .weakArray, seed: 5, limits: .threads(cores: 2))
    var scenario = generator.next()
    while scenario.steps.count < 140 { scenario = generator.next() }
    let minimizer = Minimizer<Scenario, Bool> {
      $0.steps.filter { $0.verb == .append }.count >= 30 ? true : nil
    }
    let smallest = await minimizer.minimize(scenario, failing: true).scenario
    #expect(smallest.steps.map(\.verb) == Array(repeating: .append, count: 30))
    #expect(smallest.objects == [0])
  }

  @Test func `every reduction is a valid scenario that differs from the original`() {
    for collection in CollectionKind.allCases {
      var generator = ScenarioGenerator(for: collection, seed: 9, limits: .schedules)
      for _ in 0..<200 {
        let scenario = generator.next()
        for reduction in scenario.reductions {
          #expect(reduction != scenario)
          #expect(throws: Never.self) {
            try Scenario(parsing: reduction.text, for: collection)
          }
        }
      }
    }
  }

  @Test func `the minimizer stops when it is out of time`() async throws {
    let scenario = try Scenario(parsing: "p0/p1/p2", for: .weakArray)
    let minimizer = Minimizer<Scenario, Bool> { _ in true }
    let same = await minimizer.minimize(scenario, failing: true, isOutOfTime: { true })
    #expect(same.scenario == scenario)
  }
}
