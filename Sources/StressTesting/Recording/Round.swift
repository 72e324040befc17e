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
