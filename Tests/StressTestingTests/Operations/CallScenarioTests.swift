import Testing

@testable import StressTesting

@Suite struct CallScenarioTests {
  private let counts = [3, 1, 2]

  @Test func `a text is read back, with calls around the threads and without`() throws {
    for text in ["0-2,1:0,2-1/1:1", ":0:", ":0/1/2-1:0-1"] {
      #expect(try CallScenario(parsing: text, argumentCounts: counts).text == text)
    }
  }

  @Test(arguments: ["", "0", ":3:", ":0-3:", ":1-1:", ":x:", ":0-:", ":0,:", "::0:1"])
  func `a malformed text is refused`(_ text: String) {
    #expect(throws: ScenarioError.self) {
      try CallScenario(parsing: text, argumentCounts: counts)
    }
  }

  @Test func `a seed determines the scenarios, which keep within the limits`() throws {
    let options = StressOptions()
    var first = CallGenerator(argumentCounts: counts, options: options, seed: 3)
    var second = CallGenerator(argumentCounts: counts, options: options, seed: 3)
    for _ in 0..<200 {
      let scenario = first.next()
      #expect(scenario == second.next())
      #expect(options.threads ~= scenario.threads.count)
      #expect(scenario.threads.allSatisfy { options.callsPerThread ~= $0.count })
      #expect(options.callsBefore ~= scenario.before.count)
      #expect(options.callsAfter ~= scenario.after.count)
      let again = try CallScenario(parsing: scenario.text, argumentCounts: counts)
      #expect(again == scenario)
    }
  }

  @Test func `the operations of a role are called by one thread`() {
    let options = StressOptions()
    let roles = ["owner", nil, "owner"]
    var generator = CallGenerator(
      argumentCounts: counts, roles: roles, options: options, seed: 5)
    var owners: Set<Int> = []
    for _ in 0..<200 {
      let scenario = generator.next()
      let callers = scenario.threads.indices.filter { thread in
        scenario.threads[thread].contains { roles[$0.operation] != nil }
      }
      #expect(callers.count <= 1)
      #expect(!scenario.threads.isEmpty)
      #expect(scenario.threads.allSatisfy { options.callsPerThread ~= $0.count })
      owners.formUnion(callers)
    }
    #expect(owners == [0, 1, 2])
  }

  @Test func `every reduction is smaller, and can be read`() throws {
    var generator = CallGenerator(argumentCounts: counts, options: StressOptions(), seed: 9)
    for _ in 0..<200 {
      let scenario = generator.next()
      for reduction in scenario.reductions {
        #expect(reduction.count < scenario.count || sum(reduction) < sum(scenario))
        #expect(!reduction.threads.isEmpty && reduction.threads.allSatisfy { !$0.isEmpty })
        #expect(try CallScenario(parsing: reduction.text, argumentCounts: counts) == reduction)
      }
    }
  }

  private func sum(_ scenario: CallScenario) -> Int {
    scenario.lanes.joined().reduce(0) { $0 + $1.argument }
  }

  @Test func `a seeded fault is reduced to its two calls`() async throws {
    let scenario = try CallScenario(
      parsing: "0,1:0-2,1,0/2,2-1,1/0:1,2", argumentCounts: counts)
    // "Fails" when one thread makes call 0 and another one call 2.
    let minimizer = Minimizer<CallScenario, Bool> { candidate in
      let threads = candidate.threads.map { Set($0.map(\.operation)) }
      let fails = threads.indices.contains { one in
        threads.indices.contains {
          $0 != one && threads[one].contains(0) && threads[$0].contains(2)
        }
      }
      return fails ? true : nil
    }
    let smallest = await minimizer.minimize(scenario, failing: true).scenario
    #expect([":0/2:", ":2/0:"].contains(smallest.text))
  }
}
