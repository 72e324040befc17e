import EpochReclamation
import Interleaving
import WeakCollections

/// One execution of a scenario: a collection, its objects and the records of its operations.
///
/// The initializer creates everything before the first operation. The driver starts the threads.
final class Round: Sendable {
  let scenario: Scenario
  let domain: EpochDomain
  let registry: LifetimeRegistry
  let target: any Target
  private let stamps: StampSource
  private let reentry: Reentry?
  /// The strong references of each thread.
  let holdings: [Holdings]
  /// The records of each thread, and then of each re-entrant object.
  let lanes: [Notes<Answer>]

  init(_ scenario: Scenario, of subject: Subject, domain: EpochDomain, stamps: StampSource) {
    self.scenario = scenario
    self.domain = domain
    self.stamps = stamps
    // One more object, which `lastSteps` inserts.
    let registry = LifetimeRegistry(objectCount: scenario.objectCount + 1, stamps: stamps)
    let target = subject.target(in: domain)
    let lanes = (scenario.threads.map(\.steps.count) + scenario.reentrant.map { _ in 1 }).map(
      Notes<Answer>.init(count:))
    let reentry = (target as? any SynchronousTarget).flatMap {
      Self.reentry(into: $0, scenario, lanes, stamps, registry)
    }
    holdings = Self.holdings(of: scenario, registry, reentry)
    self.registry = registry
    self.target = target
    self.lanes = lanes
    self.reentry = reentry
  }

  /// Runs a step of a thread on a target that never suspends.
  func perform(_ index: Int, of thread: Int, on target: any SynchronousTarget) {
    let step = scenario.threads[thread].steps[index]
    if step.verb == .drop { return drop(step, index, of: thread) }
    let offer = offer(for: step, of: thread)
    #if Interleaving
      // Real time orders the operations: this one misses no store of an earlier one, and reads none
      // of a later one.
      Execution.current?.refreshLoads()
    #endif
    lanes[thread].record(index, stamps) { target.perform(step, with: offer) }
    #if Interleaving
      Execution.current?.endLoads()
    #endif
  }

  /// Runs a step of a thread.
  func perform(_ index: Int, of thread: Int) async {
    let step = scenario.threads[thread].steps[index]
    if step.verb == .drop { return drop(step, index, of: thread) }
    let offer = offer(for: step, of: thread)
    await lanes[thread].record(index, stamps) { await target.perform(step, with: offer) }
  }

  private func drop(_ step: Scenario.Step, _ index: Int, of thread: Int) {
    lanes[thread].record(index, stamps) {
      _ = holdings[thread].take(step.object!)
      return .nothing
    }
  }

  /// Returns the operands of a step. The thread passes on its reference to a dictionary's value,
  /// but keeps its reference to a weak collection's element.
  func offer(for step: Scenario.Step, of thread: Int) -> Offer {
    let object = step.object.flatMap { number in
      scenario.collection == .dictionary
        ? holdings[thread].take(number) : holdings[thread].object(number)
    }
    return Offer(
      object: object, registry: registry,
      reentry: step.object.flatMap { scenario.reentrant.contains($0) ? reentry : nil })
  }

  /// Ends re-entrancy: the `deinit` of an object no longer uses the collection.
  func endReentry() { reentry?.end() }

  private static func reentry(
    into target: any SynchronousTarget, _ scenario: Scenario, _ lanes: [Notes<Answer>],
    _ stamps: StampSource, _ registry: LifetimeRegistry
  ) -> Reentry? {
    guard !scenario.reentrant.isEmpty else { return nil }
    let offer = Offer(object: nil, registry: registry, reentry: nil)
    let laneOfObject = scenario.reentrantLanes
    return Reentry { object in
      guard let lane = laneOfObject[object] else { return }
      let step = scenario.stepOfDeinit(object)
      lanes[lane].record(0, stamps) { target.perform(step, with: offer) }
    }
  }

  private static func holdings(
    of scenario: Scenario, _ registry: LifetimeRegistry, _ reentry: Reentry?
  ) -> [Holdings] {
    // An update creates its object in its body.
    let made = Set(scenario.steps.filter { $0.verb != .update }.compactMap(\.object))
    let objects = (0..<scenario.objectCount).map { number in
      made.contains(number)
        ? StressObject(
          number, in: registry, reentry: scenario.reentrant.contains(number) ? reentry : nil) : nil
    }
    return scenario.threads.map { thread in
      let named = Set(thread.steps.compactMap(\.object))
      return Holdings(objects.indices.map { named.contains($0) ? objects[$0] : nil })
    }
  }
}

extension Scenario {
  /// One more than the largest object's number.
  var objectCount: Int { (objects.max() ?? -1) + 1 }

  /// The lane of each re-entrant object's operation.
  var reentrantLanes: [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: reentrant.sorted().enumerated().map { ($1, threads.count + $0) })
  }

  /// Returns the operation in the `deinit` of a re-entrant object.
  func stepOfDeinit(_ object: Int) -> Scenario.Step {
    guard collection == .dictionary else { return Scenario.Step(.compact) }
    return Scenario.Step(.remove, key: steps.first { $0.object == object }?.key)
  }
}

extension Round {
  /// Runs all steps of a thread on the calling thread.
  ///
  /// - Parameter start: Starts each thread whose birth is in one of these steps.
  func run(
    _ thread: Int, on target: any SynchronousTarget, startingOthersBy start: (Int) -> Void
  ) {
    let plan = scenario.threads[thread]
    func runSteps() {
      for step in plan.steps.indices {
        startThreads(bornBefore: step, of: thread, start)
        perform(step, of: thread, on: target)
      }
      startThreads(bornBefore: plan.steps.count, of: thread, start)
    }
    if plan.isPinned { domain.pin { runSteps() } } else { runSteps() }
  }

  /// Runs all steps of a thread of a target that may suspend.
  func run(_ thread: Int) async {
    for step in scenario.threads[thread].steps.indices { await perform(step, of: thread) }
  }

  private func startThreads(bornBefore step: Int, of thread: Int, _ start: (Int) -> Void) {
    let birth = Birth(parent: thread, step: step)
    for child in scenario.threads.indices where scenario.threads[child].birth == birth {
      start(child)
    }
  }
}

// The end of an execution, after all threads have ended.
extension Round {
  /// The steps at quiescence.
  var lastSteps: [Scenario.Step] {
    switch scenario.collection {
    case .dictionary: [Scenario.Step(.snapshot), Scenario.Step(.count), Scenario.Step(.removeAll)]
    case .weakArray, .weakSet:
      [
        Scenario.Step(.snapshot), Scenario.Step(.count),
        Scenario.Step(.enter(scenario.collection), object: scenario.objectCount),
        Scenario.Step(.entryCount),
      ]
    }
  }

  /// Ends the execution of a target that never suspends.
  func end(on target: any SynchronousTarget) -> Recording {
    endReentry()
    let offer = lastOffer()
    var answers = lastSteps.map { target.perform($0, with: offer).answer }
    for _ in 0..<mutationsToRemoveDead(answers) {
      let offer = lastOffer()
      for place in [2, 3] { answers[place] = target.perform(lastSteps[place], with: offer).answer }
      if mutationsToRemoveDead(answers) == 0 { break }
    }
    return recording(of: answers)
  }

  /// Ends the execution.
  func end() async -> Recording {
    endReentry()
    let offer = lastOffer()
    var answers: [Answer] = []
    for step in lastSteps { answers.append(await target.perform(step, with: offer).answer) }
    for _ in 0..<mutationsToRemoveDead(answers) {
      let offer = lastOffer()
      for place in [2, 3] {
        answers[place] = await target.perform(lastSteps[place], with: offer).answer
      }
      if mutationsToRemoveDead(answers) == 0 { break }
    }
    return recording(of: answers)
  }

  /// Returns the number of insertions after which a weak collection must have removed its surplus
  /// of dead entries; 0 if it has no more entries than its bound.
  ///
  /// The bound is amortized. If objects died after the last compaction, there may be more entries
  /// than the bound, until as many mutations as entries have followed. The objects of these
  /// insertions die immediately.
  ///
  /// - Parameter answers: The answers to `lastSteps`.
  private func mutationsToRemoveDead(_ answers: [Answer]) -> Int {
    let aftermath = observations(in: answers)
    guard let entries = aftermath.entryCount else { return 0 }
    return entries > aftermath.entryBound ? entries : 0
  }

  private func lastOffer() -> Offer {
    Offer(
      object: StressObject(scenario.objectCount, in: registry), registry: registry, reentry: nil)
  }

  private func observations(in answers: [Answer]) -> Aftermath {
    var aftermath = Aftermath(contents: answers[0])
    if case .number(let count) = answers[1] { aftermath.count = count }
    if answers.count > 3, case .number(let count) = answers[3] { aftermath.entryCount = count }
    return aftermath
  }

  /// Returns the recording that consists of the records and the answers to `lastSteps`.
  private func recording(of answers: [Answer]) -> Recording {
    var aftermath = observations(in: answers)
    // The values of a dictionary may be alive until an epoch ends; a weak collection keeps no
    // object alive.
    if scenario.collection != .dictionary { aftermath.keptAlive = unheld.filter(isAlive) }
    let operations = operations()
    for holdings in holdings { holdings.releaseAll() }
    drain()
    let objects = 0..<scenario.objectCount
    aftermath.remade = objects.filter { registry.births(of: $0) > 1 }
    aftermath.leaked = objects.filter(isAlive)
    return Recording(operations: operations, aftermath: aftermath)
  }

  /// Advances the domain until it has reclaimed all objects. That takes two advances, or more if
  /// the reclamation itself pins; the method makes at most four. A collection of another package
  /// may retire its memory to the shared domain instead.
  private func drain() {
    for domain in [domain, .shared] {
      for _ in 0..<4 where !isDrained { domain.advance() }
    }
  }

  private var isDrained: Bool { (0..<scenario.objectCount).allSatisfy { !isAlive($0) } }

  private func isAlive(_ object: Int) -> Bool {
    registry.births(of: object) != registry.deaths(of: object)
  }

  /// The objects to which no thread has a strong reference any more.
  private var unheld: [Int] {
    scenario.objects.filter { object in !holdings.contains { $0.holds(object) } }.sorted()
  }

  /// Returns the operations that were called, with distinct stamps, in no particular order.
  private func operations() -> [RecordedOperation] {
    var operations: [RecordedOperation] = []
    for (lane, notes) in lanes.enumerated() {
      for (index, step) in steps(of: lane).enumerated() where step.verb != .drop {
        guard let call = notes[index].call else { continue }
        operations.append(
          RecordedOperation(
            lane: lane, step: step, call: call, return: notes[index].return,
            answer: notes[index].answer))
      }
    }
    if scenario.collection != .dictionary { operations += unheld.compactMap(death) }
    return operations.withDistinctStamps
  }

  /// Returns the death of an object, from the last release to the beginning of its `deinit`.
  private func death(of object: Int) -> RecordedOperation? {
    var last: (lane: Int, call: UInt64)?
    for (lane, thread) in scenario.threads.enumerated() {
      for (index, step) in thread.steps.enumerated()
      where step.verb == .drop && step.object == object {
        guard let call = lanes[lane][index].call, call >= last?.call ?? 0 else { continue }
        last = (lane, call)
      }
    }
    guard let last else { return nil }
    return RecordedOperation(
      lane: last.lane, step: Scenario.Step(.drop, object: object), call: last.call,
      return: registry.deathStamp(of: object), answer: .nothing)
  }

  private func steps(of lane: Int) -> [Scenario.Step] {
    if lane < scenario.threads.count { return scenario.threads[lane].steps }
    let object = scenario.reentrant.sorted()[lane - scenario.threads.count]
    return [scenario.stepOfDeinit(object)]
  }
}

/// An operation with the stamps of its call and its return.
protocol StampedOperation {
  var call: UInt64 { get set }
  var `return`: UInt64? { get set }
}

extension RecordedOperation: StampedOperation {}

extension Array where Element: StampedOperation {
  /// The operations with their stamps replaced by 0, 1, 2 and so on, in the same order. At equal
  /// stamps, calls come before returns, so that equal stamps order nothing.
  var withDistinctStamps: [Element] {
    var events: [(stamp: UInt64, isReturn: Bool, index: Int)] = []
    for (index, operation) in enumerated() {
      events.append((operation.call, false, index))
      if let end = operation.return { events.append((end, true, index)) }
    }
    events.sort {
      ($0.stamp, $0.isReturn ? 1 : 0, $0.index) < ($1.stamp, $1.isReturn ? 1 : 0, $1.index)
    }
    var operations = self
    for (rank, event) in events.enumerated() {
      if event.isReturn {
        operations[event.index].return = UInt64(rank)
      } else {
        operations[event.index].call = UInt64(rank)
      }
    }
    return operations
  }
}
