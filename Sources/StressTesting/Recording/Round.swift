import EpochReclamation
import WeakCollections

/// One execution of a scenario: a collection, the objects, and the notes of what happened.
///
/// Everything is made before the first operation. Which thread runs what, and when, is the driver's.
final class Round: Sendable {
  let scenario: Scenario
  let domain: EpochDomain
  let ledger: Ledger
  let target: any Target
  private let stamps: StampSource
  private let reentry: Reentry?
  /// One of each thread.
  let holdings: [Holdings]
  /// One of each thread, then one of each re-entrant object.
  let lanes: [Notes]

  init(_ scenario: Scenario, of subject: Subject, domain: EpochDomain, stamps: StampSource) {
    self.scenario = scenario
    self.domain = domain
    self.stamps = stamps
    // One more, which is appended when all is over.
    let ledger = Ledger(objectCount: scenario.objectCount + 1, stamps: stamps)
    let target = subject.target(in: domain)
    let lanes = (scenario.threads.map(\.steps.count) + scenario.reentrant.map { _ in 1 }).map(
      Notes.init(count:))
    let reentry = (target as? any SynchronousTarget).flatMap {
      Self.reentry(into: $0, scenario, lanes, stamps, ledger)
    }
    holdings = Self.holdings(of: scenario, ledger, reentry)
    self.ledger = ledger
    self.target = target
    self.lanes = lanes
    self.reentry = reentry
  }

  /// Runs a step of a thread; for a target that never suspends.
  func perform(_ index: Int, of thread: Int, on target: any SynchronousTarget) {
    let step = scenario.threads[thread].steps[index]
    if step.verb == .drop { return drop(step, index, of: thread) }
    let offer = offer(for: step, of: thread)
    lanes[thread].record(index, stamps) { target.perform(step, with: offer) }
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

  /// A dictionary's value is given away; a weak collection's element stays the thread's.
  func offer(for step: Scenario.Step, of thread: Int) -> Offer {
    let object = step.object.flatMap { number in
      scenario.collection == .dictionary
        ? holdings[thread].take(number) : holdings[thread].object(number)
    }
    return Offer(
      object: object, ledger: ledger,
      reentry: step.object.flatMap { scenario.reentrant.contains($0) ? reentry : nil })
  }

  /// From here on nothing that dies uses the collection.
  func endReentry() { reentry?.end() }

  private static func reentry(
    into target: any SynchronousTarget, _ scenario: Scenario, _ lanes: [Notes],
    _ stamps: StampSource, _ ledger: Ledger
  ) -> Reentry? {
    guard !scenario.reentrant.isEmpty else { return nil }
    let offer = Offer(object: nil, ledger: ledger, reentry: nil)
    let laneOfObject = scenario.reentrantLanes
    return Reentry { object in
      guard let lane = laneOfObject[object] else { return }
      let step = scenario.stepOfDeinit(object)
      lanes[lane].record(0, stamps) { target.perform(step, with: offer) }
    }
  }

  private static func holdings(
    of scenario: Scenario, _ ledger: Ledger, _ reentry: Reentry?
  ) -> [Holdings] {
    // An update makes its object itself.
    let made = Set(scenario.steps.filter { $0.verb != .update }.compactMap(\.object))
    let objects = (0..<scenario.objectCount).map { number in
      made.contains(number)
        ? Tracked(
          number, in: ledger, reentry: scenario.reentrant.contains(number) ? reentry : nil) : nil
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

  /// The lane in which a re-entrant object's operation is noted.
  var reentrantLanes: [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: reentrant.sorted().enumerated().map { ($1, threads.count + $0) })
  }

  /// What a re-entrant object does as it dies.
  func stepOfDeinit(_ object: Int) -> Scenario.Step {
    guard collection == .dictionary else { return Scenario.Step(.compact) }
    return Scenario.Step(.remove, key: steps.first { $0.object == object }?.key)
  }
}

extension Round {
  /// Runs all steps of a thread, which the caller is; `start` starts the threads born on the way.
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

// When all threads have ended.
extension Round {
  /// What is asked of the collection at rest.
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
    return recording(of: lastSteps.map { target.perform($0, with: offer).answer })
  }

  /// Ends the execution.
  func end() async -> Recording {
    endReentry()
    let offer = lastOffer()
    var answers: [Answer] = []
    for step in lastSteps { answers.append(await target.perform(step, with: offer).answer) }
    return recording(of: answers)
  }

  private func lastOffer() -> Offer {
    Offer(object: Tracked(scenario.objectCount, in: ledger), ledger: ledger, reentry: nil)
  }

  /// The answers to `lastSteps`, and with them everything else.
  private func recording(of answers: [Answer]) -> Recording {
    var aftermath = Aftermath(contents: answers[0])
    if case .number(let count) = answers[1] { aftermath.count = count }
    if answers.count > 3, case .number(let count) = answers[3] { aftermath.entryCount = count }
    // A dictionary's values may wait for the epoch; a weak collection keeps nobody alive.
    if scenario.collection != .dictionary { aftermath.keptAlive = unheld.filter(isAlive) }
    let operations = operations()
    for holdings in holdings { holdings.releaseAll() }
    drain()
    let objects = 0..<scenario.objectCount
    aftermath.remade = objects.filter { ledger.births(of: $0) > 1 }
    aftermath.leaked = objects.filter(isAlive)
    return Recording(operations: operations, aftermath: aftermath)
  }

  /// Has the domain reclaim what was retired: two epochs, and a pin more that was taken meanwhile.
  private func drain() {
    for _ in 0..<4 where !isDrained { domain.advance() }
  }

  private var isDrained: Bool { (0..<scenario.objectCount).allSatisfy { !isAlive($0) } }

  private func isAlive(_ object: Int) -> Bool {
    ledger.births(of: object) != ledger.deaths(of: object)
  }

  /// The objects that every thread which had them has dropped.
  private var unheld: [Int] {
    scenario.objects.filter { object in !holdings.contains { $0.holds(object) } }.sorted()
  }

  /// The operations that were called, in no particular order, their stamps made distinct.
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

  /// From the last letting go to the beginning of `deinit`.
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
      return: ledger.deathStamp(of: object), answer: .nothing)
  }

  private func steps(of lane: Int) -> [Scenario.Step] {
    if lane < scenario.threads.count { return scenario.threads[lane].steps }
    let object = scenario.reentrant.sorted()[lane - scenario.threads.count]
    return [scenario.stepOfDeinit(object)]
  }
}

extension [RecordedOperation] {
  /// The same order with stamps 0, 1, 2, …; calls before returns where stamps are equal, which then
  /// order nothing.
  var withDistinctStamps: [RecordedOperation] {
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
