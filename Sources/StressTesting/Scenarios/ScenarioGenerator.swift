import SeededRandom
import WeakCollections

/// Draws random scenarios. A seed gives the same scenarios on every machine.
///
/// For each scenario, it selects a few operations at random, and draws all steps from these ("swarm
/// testing", Groce et al. 2012). So a defect that needs two operations is not diluted by ten
/// others.
package struct ScenarioGenerator: Sendable {
  package let collection: CollectionKind
  let limits: Limits
  var generator: SplitMix64
  /// The number of the next object of the scenario being drawn.
  var nextObject = 0

  /// The limits on the size of scenarios.
  package struct Limits: Sendable {
    /// The numbers of threads to choose from.
    package var threads: [Int]
    package var steps: ClosedRange<Int>
    package var roles: [Role]
    /// The number of threads of a scenario with the role `crowd`.
    package var crowd = 0
    /// Whether roles that have their own number of threads use `threads` too.
    private(set) var isExact = false

    /// The limits under the managed scheduler, small enough for a search of schedules.
    package static let schedules = Limits(
      threads: [2, 3, 4], steps: 1...4, roles: Role.allCases.filter(\.isSmall))

    /// Returns the limits for real threads on a machine with `cores` cores.
    package static func threads(cores: Int) -> Limits {
      Limits(threads: [2, 3, 4], steps: 1...6, roles: Role.allCases, crowd: 16 * cores)
    }

    /// Returns the same limits for scenarios with one of these numbers of threads, and no other.
    package func exactly(_ threads: [Int]) -> Limits {
      var limits = self
      limits.threads = threads
      limits.isExact = true
      limits.roles.removeAll { $0 == .crowd }
      return limits
    }

    /// The same limits without the roles that need a synchronous collection.
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

  /// Returns the next scenario, which is valid.
  package mutating func next() -> Scenario {
    nextObject = 0
    // Half of the scenarios have no role: these find the most defects, and find them fastest.
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
    default: Scenario(collection, plainThreads(count: pick(limits.threads)))
    }
  }

  /// Adds the parts of a role that `drawn(_:)` does not draw.
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
      if limits.isExact { scenario.threads.removeLast() }
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

/// A special situation that a scenario creates.
package enum Role: String, CaseIterable, Sendable {
  case none
  /// Many objects die one after the other while other threads read.
  case dropStorm
  /// Objects whose `deinit` uses the collection.
  case reentrancy
  /// Threads that start and end during the run.
  case births
  /// A reader that stays pinned through all its reads.
  case pinnedReader
  /// Enough entries or keys to make the structure grow and shrink.
  case churn
  /// Sixteen times as many threads as cores, with few operations each.
  case crowd

  /// Whether scenarios with this role are small enough for a search of schedules.
  var isSmall: Bool { self != .churn && self != .crowd }

  /// Whether the role needs a synchronous collection: code in a `deinit` or under a pin cannot
  /// suspend, and tasks do not start threads.
  var needsSynchronousSubject: Bool {
    self == .reentrancy || self == .births || self == .pinnedReader
  }
}

extension ScenarioGenerator {
  /// Returns threads whose steps come from one small set of verbs.
  mutating func plainThreads(count: Int, steps: ClosedRange<Int>? = nil) -> [ThreadPlan] {
    let verbs = swarm()
    let keys = number(in: 1...3)
    let shared = collection != .dictionary && chance(1, in: 2) ? [newObject()] : []
    return (0..<count).map { _ in
      let length = number(in: steps ?? limits.steps)
      return ThreadPlan(self.steps(of: verbs, count: length, keys: keys, shared: shared))
    }
  }

  /// Returns steps that only read.
  mutating func reads(count: Int) -> [Scenario.Step] {
    (0..<count).map { _ in
      collection == .dictionary && chance(2, in: 3)
        ? Scenario.Step(pick([.get, .get, .values]), key: number(in: 0...2))
        : Scenario.Step(pick([.snapshot, .count]))
    }
  }

  /// Returns one thread that inserts objects and then drops them one after the other, and others
  /// that read.
  mutating func storm() -> [ThreadPlan] {
    let objects = (0..<number(in: 2...limits.steps.upperBound)).map { _ in newObject() }
    let storming =
      collection != .dictionary
      ? objects.map { Scenario.Step(.enter(collection), object: $0) }
        + objects.map { Scenario.Step(.drop, object: $0) }
      : objects.enumerated().map { Scenario.Step(.set, key: $0 % 2, object: $1) } + [
        Scenario.Step(.removeAll)
      ]
    let lookers = (1..<pick(limits.threads)).map { _ in
      ThreadPlan(reads(count: number(in: limits.steps)))
    }
    return [ThreadPlan(storming)] + lookers
  }

  /// Returns one thread that inserts enough entries or keys to make the structure grow, and drops
  /// or removes many of them, and one or two plain threads, unless the number of threads is exact.
  mutating func churn() -> [ThreadPlan] {
    let churning = (0..<number(in: 70...100)).flatMap { index -> [Scenario.Step] in
      let object = newObject()
      if collection != .dictionary {
        return [
          Scenario.Step(.enter(collection), object: object), Scenario.Step(.drop, object: object),
        ]
      }
      let key = number(in: 0...99)
      return [Scenario.Step(.set, key: key, object: object)]
        + (chance(1, in: 3) ? [Scenario.Step(.remove, key: key)] : [])
    }
    let others = limits.isExact ? pick(limits.threads) - 1 : number(in: 1...2)
    return [ThreadPlan(churning)] + plainThreads(count: others)
  }

  private mutating func swarm() -> [Verb] {
    let verbs = Verb.allCases.filter { $0.operands(in: collection) != nil }
    // Without one of these verbs the collection stays empty.
    let makers: [Verb] =
      collection == .dictionary ? [.set, .insert, .update] : [.enter(collection)]
    return [pick(makers)] + (0..<number(in: 1...3)).map { _ in pick(verbs) }
  }

  private mutating func steps(
    of verbs: [Verb], count: Int, keys: Int, shared: [Int]
  ) -> [Scenario.Step] {
    var held = shared
    return (0..<count).map { _ in step(pick(verbs), keys: keys, held: &held) }
  }

  private mutating func step(_ verb: Verb, keys: Int, held: inout [Int]) -> Scenario.Step {
    let operands = verb.operands(in: collection)!
    let key = operands.key ? number(in: 0...keys - 1) : nil
    guard operands.object else { return Scenario.Step(verb, key: key) }
    if collection == .dictionary { return Scenario.Step(verb, key: key, object: newObject()) }
    // Half of the insertions use a new object. So does any step if the thread holds no object.
    if held.isEmpty || verb == .enter(collection) && chance(1, in: 2) { held.append(newObject()) }
    let object = pick(held)
    if verb == .drop { held.removeAll { $0 == object } }
    return Scenario.Step(verb, object: object)
  }

  private mutating func newObject() -> Int {
    defer { nextObject += 1 }
    return nextObject
  }
}
