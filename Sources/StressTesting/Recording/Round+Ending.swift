import EpochReclamation
import WeakCollections

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
