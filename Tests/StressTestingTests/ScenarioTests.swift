import StressTesting
import Testing
import WeakCollections

@Suite struct ScenarioTests {
  @Test(arguments: CollectionKind.allCases)
  func `a seed gives the same scenarios each time, and another seed others`(
    _ collection: CollectionKind
  ) {
    func scenarios(seed: UInt64) -> [Scenario] {
      var generator = ScenarioGenerator(for: collection, seed: seed, limits: .threads(cores: 2))
      return (0..<50).map { _ in generator.next() }
    }
    #expect(scenarios(seed: 1) == scenarios(seed: 1))
    #expect(scenarios(seed: 1) != scenarios(seed: 2))
  }

  @Test(arguments: CollectionKind.allCases)
  func `a generated scenario survives its text`(_ collection: CollectionKind) throws {
    var generator = ScenarioGenerator(for: collection, seed: 3, limits: .threads(cores: 2))
    for _ in 0..<500 {
      let scenario = generator.next()
      #expect(try Scenario(parsing: scenario.text, for: collection) == scenario)
    }
  }

  @Test(arguments: CollectionKind.allCases)
  func `every role is drawn`(_ collection: CollectionKind) {
    var generator = ScenarioGenerator(for: collection, seed: 3, limits: .threads(cores: 2))
    let scenarios = (0..<500).map { _ in generator.next() }
    #expect(scenarios.contains { !$0.reentrant.isEmpty })
    #expect(scenarios.contains { $0.threads.contains { $0.birth != nil } })
    #expect(scenarios.contains { $0.threads.contains(where: \.isPinned) })
    #expect(scenarios.contains { $0.threads.count == 32 })
    #expect(scenarios.contains { $0.steps.count > 100 })
    let verbs: [CollectionKind: Int] = [.dictionary: 10, .weakArray: 10, .weakSet: 11]
    #expect(Set(scenarios.flatMap(\.steps).map(\.verb)).count == verbs[collection])
  }

  @Test func `what is for schedules is small`() {
    var generator = ScenarioGenerator(for: .weakArray, seed: 3, limits: .schedules)
    for _ in 0..<500 {
      let scenario = generator.next()
      #expect(scenario.threads.count <= 5)
      #expect(scenario.threads.allSatisfy { $0.steps.count <= 8 })
    }
  }

  @Test(arguments: CollectionKind.allCases)
  func `scenarios have the numbers of threads that are asked for, whatever their role`(
    collection: CollectionKind
  ) {
    let limits = ScenarioGenerator.Limits.threads(cores: 2).exactly([1, 5])
    var generator = ScenarioGenerator(for: collection, seed: 3, limits: limits)
    let scenarios = (0..<500).map { _ in generator.next() }
    #expect(Set(scenarios.map(\.threads.count)) == [1, 5])
    #expect(scenarios.contains { $0.threads.contains(where: \.isPinned) })
  }

  @Test func `what cannot suspend is not drawn for a subject that does`() {
    let limits = ScenarioGenerator.Limits.threads(cores: 2).suspending
    var generator = ScenarioGenerator(for: .dictionary, seed: 3, limits: limits)
    for _ in 0..<500 {
      let scenario = generator.next()
      #expect(scenario.reentrant.isEmpty)
      #expect(scenario.threads.allSatisfy { $0.birth == nil && !$0.isPinned })
    }
  }

  @Test func `a text says all there is to say`() throws {
    let scenario = try Scenario(parsing: "s0-1,i3-2+/born0-1:pin:g0,x", for: .dictionary)
    #expect(
      scenario
        == Scenario(
          .dictionary,
          [
            ThreadPlan([
              Scenario.Step(.set, key: 0, object: 1), Scenario.Step(.insert, key: 3, object: 2),
            ]),
            ThreadPlan(
              [Scenario.Step(.get, key: 0), Scenario.Step(.removeAll)], isPinned: true,
              birth: Birth(parent: 0, step: 1)),
          ], reentrant: [2]))
  }

  @Test(arguments: [
    "z0", "g", "g0-1", "s0", "s0-1-2", "g-1", "g99999", "g0+", "x0", "g0,,g0", "gé", "p1",
    "pins:g0", "born0:g0", "born0-0:g0", "g0/born1-0:g0", "g0/born0-2:g0", "s0-1,s1-1", "g0:g1",
  ])
  func `a text that is no dictionary's scenario is refused`(_ text: String) {
    #expect(throws: ScenarioError.self) { try Scenario(parsing: text, for: .dictionary) }
  }

  @Test(arguments: ["p0,d0,c0", "d0,d0", "s0-0", "u0"])
  func `a text that is no weak array's scenario is refused`(_ text: String) {
    #expect(throws: ScenarioError.self) { try Scenario(parsing: text, for: .weakArray) }
  }

  @Test func `a dictionary has its keys in the same order each time`() {
    let dictionaries = (0..<50).map { _ in
      Dictionary(uniqueKeysWithValues: (0..<6).map { (StressKey($0), $0) })
    }
    #expect(Set(dictionaries.map { $0.map(\.value) }).count == 1)
  }
}
