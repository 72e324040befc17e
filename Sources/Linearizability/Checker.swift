/// Decides whether a history could have come from an object that does one operation at a time.
///
/// The cost is exponential in how many operations on one part are under way together, and linear in
/// the number of operations; hence the limits.
public struct Checker<Model: SequentialModel>: Sendable {
  public let model: Model
  /// After this long the verdict is unknown; `nil` is never.
  public var timeLimit: Duration?
  /// After this many steps the verdict is unknown, on every machine alike; `nil` is never.
  ///
  /// A step is one attempt to let an operation take effect.
  public var stepLimit: Int?
  /// How many configurations that led nowhere are remembered at most; this bounds the memory used.
  public var memory: Int

  public init(
    _ model: Model, timeLimit: Duration? = nil, stepLimit: Int? = nil, memory: Int = 4_000_000
  ) {
    self.model = model
    self.timeLimit = timeLimit
    self.stepLimit = stepLimit
    self.memory = memory
  }

  /// Checks each part of the object, the hardest last, and stops at the first that is not linearizable.
  public func check(_ history: History<Model.Input, Model.Output>) -> Verdict<Model> {
    let timeline = Timeline(history.operations, partition: model.partition)
    return timeline.slotCount <= NarrowSlotSet.capacity
      ? check(history, timeline, NarrowSlotSet.self)
      : check(history, timeline, WideSlotSet.self)
  }

  private func check<Slots: SlotSet>(
    _ history: History<Model.Input, Model.Output>, _ timeline: Timeline<Model.Partition>,
    _: Slots.Type
  ) -> Verdict<Model> {
    let budget = SearchBudget(timeLimit: timeLimit, stepLimit: stepLimit)
    var search = Search<Model, Slots>(
      model, history.operations, timeline, budget: budget, memory: memory)
    var points: [LinearizationPoint] = []
    points.reserveCapacity(history.operations.count)
    var parts = timeline.parts
    var turn = Self.firstTurn
    while !parts.isEmpty {
      if parts.count == 1 { turn = .max }
      var undecided: [Timeline<Model.Partition>.Part] = []
      for part in parts {
        switch search.run(part.events, steps: turn) {
        case .found: points += search.points
        case .exhausted: return .illegal(search.counterexample(to: part))
        case .stopped(.turn): undecided.append(part)
        case .stopped(.time): return .unknown(.time(timeLimit ?? .zero))
        case .stopped(.steps): return .unknown(.steps(stepLimit ?? 0))
        }
      }
      parts = undecided
      turn = turn < .max / 8 ? turn * 8 : .max
    }
    return .linearizable(points)
  }

  /// A part that takes longer waits until all others had as much: it may not hide an illegal one.
  private static var firstTurn: Int { 10_000 }
}

extension Checker {
  /// The smallest part of a counterexample found by leaving out one operation after the other.
  ///
  /// An operation may be left out if two things hold. The history stays illegal when the operation is only
  /// *allowed* to have happened, at any time after its call and with any result; so what remains is illegal
  /// whatever the operations left out did. And what remains alone has the same unplaceable operation; so
  /// no read stays without the write that it saw. `prefix`, `states` and `candidates` are those of the
  /// remaining operations alone. An attempt that takes more than `stepsPerAttempt` keeps its operation.
  public func core(
    of counterexample: Counterexample<Model>, in history: History<Model.Input, Model.Output>,
    stepsPerAttempt: Int = 20_000
  ) -> Counterexample<Model> {
    let attempt = Checker(model, timeLimit: timeLimit, stepLimit: stepsPerAttempt, memory: memory)
    let deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    // What was called after the return in question cannot explain what came before.
    let end = history.operations[counterexample.unplaceable].return ?? .max
    let relevant = counterexample.operations.filter { history.operations[$0].call <= end }
    var kept = Set(relevant)
    var smallest = counterexample
    smallest.operations = relevant
    for chunk in Self.chunks(of: relevant.filter { $0 != counterexample.unplaceable }) {
      guard !kept.isDisjoint(with: chunk) else { continue }
      if let deadline, ContinuousClock.now >= deadline { break }
      let fewer = kept.subtracting(chunk)
      let relaxed = relevant.map { index in
        fewer.contains(index) ? history.operations[index] : history.operations[index].relaxed
      }
      guard attempt.check(History(relaxed)).isIllegal,
        let found = attempt.counterexample(for: relevant.filter(fewer.contains), in: history),
        found.unplaceable == counterexample.unplaceable
      else { continue }
      kept = fewer
      smallest = found
    }
    return smallest
  }

  /// Half of them, then the quarters, down to single ones; the earliest first.
  private static func chunks(of operations: [Int]) -> [ArraySlice<Int>] {
    var chunks: [ArraySlice<Int>] = []
    var size = operations.count
    while size > 0 {
      chunks += stride(from: 0, to: operations.count, by: size).map { start in
        operations[start..<min(start + size, operations.count)]
      }
      size = size == 1 ? 0 : (size + 1) / 2
    }
    return chunks
  }

  /// Checks only the operations at `indices`; the counterexample has the history's indices.
  private func counterexample(
    for indices: [Int], in history: History<Model.Input, Model.Output>
  ) -> Counterexample<Model>? {
    let verdict = check(History(indices.map { history.operations[$0] }))
    guard case .illegal(var found) = verdict else { return nil }
    found.operations = found.operations.map { indices[$0] }
    found.prefix = found.prefix.map {
      LinearizationPoint(operation: indices[$0.operation], stamp: $0.stamp)
    }
    found.unplaceable = indices[found.unplaceable]
    found.candidates = found.candidates.map { indices[$0] }
    return found
  }
}

extension Operation {
  /// The same call, but it never returned.
  fileprivate var relaxed: Operation {
    Operation(worker: worker, call: call, return: nil, input: input, output: nil)
  }
}
