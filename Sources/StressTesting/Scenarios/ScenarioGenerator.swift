import SeededRandom
import WeakCollections

/// Draws scenarios: the same seed gives the same ones on every machine.
///
/// Each scenario draws a few of the operations first and then its steps from these alone ("swarm
/// testing", Groce et al. 2012): a bug that two operations make together is not watered down by ten others.
package struct ScenarioGenerator: Sendable {
  package let collection: CollectionKind
  let limits: Limits
  var generator: SplitMix64
  /// The number of the next object of the scenario being drawn.
  var nextObject = 0

  /// How large scenarios are.
  package struct Limits: Sendable {
    package var threads: ClosedRange<Int>
    package var steps: ClosedRange<Int>
    package var roles: [Role]
    package var crowd = 0

    /// For schedules: small enough to be searched.
    package static let schedules = Limits(
      threads: 2...4, steps: 1...4, roles: Role.allCases.filter(\.isSmall))

    /// For real threads, on a machine with so many cores.
    package static func threads(cores: Int) -> Limits {
      Limits(threads: 2...4, steps: 1...6, roles: Role.allCases, crowd: 16 * cores)
    }

    /// The same without what a collection that suspends cannot do.
    package var suspending: Limits {
      var limits = self
      limits.roles.removeAll(where: \.needsSynchronousSubject)
      return limits
    }
  }

  package init(for collection: CollectionKind, seed: UInt64, limits: Limits) {
    self.collection = collection
    self.limits = limits
    generator = SplitMix64(seed: seed)
  }

  package mutating func next() -> Scenario {
    nextObject = 0
    // Every other scenario has no role: the plain ones find most, and fastest.
    let role = chance(1, in: 2) ? Role.none : pick(limits.roles)
    var scenario = drawn(role)
    add(role, to: &scenario)
    return scenario
  }

  private mutating func drawn(_ role: Role) -> Scenario {
    switch role {
    case .dropStorm: Scenario(collection, storm())
    case .churn: Scenario(collection, churn())
    case .crowd: Scenario(collection, plainThreads(count: limits.crowd, steps: 1...2))
    default: Scenario(collection, plainThreads(count: number(in: limits.threads)))
    }
  }

  /// What is said of the threads beside their steps.
  private mutating func add(_ role: Role, to scenario: inout Scenario) {
    switch role {
    case .reentrancy:
      let objects = scenario.objects.sorted()
      scenario.reentrant = Set(objects.filter { _ in chance(1, in: 2) })
    case .births:
      for index in scenario.threads.indices.dropFirst() where chance(2, in: 3) {
        let parent = number(in: 0...index - 1)
        let step = number(in: 0...scenario.threads[parent].steps.count)
        scenario.threads[index].birth = Birth(parent: parent, step: step)
      }
    case .pinnedReader:
      let count = number(in: limits.steps)
      scenario.threads.append(ThreadPlan(reads(count: count), isPinned: true))
    case .none, .dropStorm, .churn, .crowd:
      break
    }
  }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + generator.number(below: range.count)
  }

  mutating func pick<T>(_ elements: [T]) -> T {
    elements[generator.number(below: elements.count)]
  }

  mutating func chance(_ part: Int, in whole: Int) -> Bool {
    generator.number(below: whole) < part
  }
}
