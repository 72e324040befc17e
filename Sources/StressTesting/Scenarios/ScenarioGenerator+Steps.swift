import WeakCollections

extension ScenarioGenerator {
  /// Threads whose steps come from one small set of verbs.
  mutating func plainThreads(count: Int, steps: ClosedRange<Int>? = nil) -> [ThreadPlan] {
    let verbs = swarm()
    let keys = number(in: 1...3)
    let shared = collection != .dictionary && chance(1, in: 2) ? [newObject()] : []
    return (0..<count).map { _ in
      let length = number(in: steps ?? limits.steps)
      return ThreadPlan(self.steps(of: verbs, count: length, keys: keys, shared: shared))
    }
  }

  /// A thread's reads, and nothing that the collection could notice.
  mutating func reads(count: Int) -> [Scenario.Step] {
    (0..<count).map { _ in
      collection == .dictionary && chance(2, in: 3)
        ? Scenario.Step(.get, key: number(in: 0...2)) : Scenario.Step(pick([.snapshot, .count]))
    }
  }

  /// One thread puts objects in and lets them go one after the other; others look.
  mutating func storm() -> [ThreadPlan] {
    let objects = (0..<number(in: 2...limits.steps.upperBound)).map { _ in newObject() }
    let storming =
      collection != .dictionary
      ? objects.map { Scenario.Step(.enter(collection), object: $0) }
        + objects.map { Scenario.Step(.drop, object: $0) }
      : objects.enumerated().map { Scenario.Step(.set, key: $0 % 2, object: $1) } + [
        Scenario.Step(.removeAll)
      ]
    let lookers = (1..<number(in: limits.threads)).map { _ in
      ThreadPlan(reads(count: number(in: limits.steps)))
    }
    return [ThreadPlan(storming)] + lookers
  }

  /// As many entries or keys as make the structure grow; most of them go again.
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
    return [ThreadPlan(churning)] + plainThreads(count: number(in: 1...2))
  }

  private mutating func swarm() -> [Verb] {
    let verbs = Verb.allCases.filter { $0.operands(in: collection) != nil }
    // Without one of these nothing ever happens.
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
    // Half of all insertions, and what has nothing to work with, bring a new object.
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
