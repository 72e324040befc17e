/// Decides whether a history is linearizable with respect to a sequential model.
///
/// The cost is exponential in the number of concurrent operations on one partition and linear in
/// the total number of operations. A time limit or a step limit bounds it.
public struct Checker<Model: SequentialModel>: Sendable {
  /// The specification.
  public let model: Model
  /// The time after which the verdict is unknown; `nil` for no limit.
  public var timeLimit: Duration?
  /// The number of steps after which the verdict is unknown, the same on every machine; `nil` for
  /// no limit.
  ///
  /// A step is one attempt to let an operation take effect.
  public var stepLimit: Int?
  /// The maximum number of failed configurations that the search remembers, which bounds its
  /// memory.
  public var memory: Int

  /// Creates a checker.
  ///
  /// - Parameters:
  ///   - model: The specification.
  ///   - timeLimit: The time after which the verdict is unknown; `nil` for no limit.
  ///   - stepLimit: The number of steps after which the verdict is unknown; `nil` for no limit.
  ///   - memory: The maximum number of failed configurations to remember.
  public init(
    _ model: Model, timeLimit: Duration? = nil, stepLimit: Int? = nil, memory: Int = 4_000_000
  ) {
    self.model = model
    self.timeLimit = timeLimit
    self.stepLimit = stepLimit
    self.memory = memory
  }

  /// Checks each partition of the object, the hardest last, and stops at the first illegal one.
  ///
  /// - Parameter history: The operations on the object.
  /// - Returns: The verdict; `.unknown` only if the checker has a limit.
  /// - Complexity: Exponential in the number of concurrent operations on one partition; linear in
  ///   the number of operations.
  public func check(_ history: History<Model.Input, Model.Output>) -> Verdict<Model> {
    let timeline = HistoryTimeline(history.operations, partition: model.partition)
    return timeline.slotCount <= NarrowSlotSet.capacity
      ? check(history, timeline, NarrowSlotSet.self)
      : check(history, timeline, WideSlotSet.self)
  }

  private func check<Slots: SlotSet>(
    _ history: History<Model.Input, Model.Output>, _ timeline: HistoryTimeline<Model.Partition>,
    _: Slots.Type
  ) -> Verdict<Model> {
    let budget = SearchBudget(timeLimit: timeLimit, stepLimit: stepLimit)
    var search = Search<Model, Slots>(
      model, history.operations, timeline, budget: budget, memory: memory)
    var points: [LinearizationPoint] = []
    points.reserveCapacity(history.operations.count)
    var parts = timeline.parts
    // A partition that exceeds its turn waits until every other partition has had an equally long
    // turn. So a difficult partition cannot hide an illegal one.
    var turn = 10_000
    while !parts.isEmpty {
      if parts.count == 1 { turn = .max }
      var undecided: [HistoryTimeline<Model.Partition>.Part] = []
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
}

// MARK: Minimizing a counterexample

extension Checker {
  /// Returns the smallest counterexample found by omitting operations from `counterexample`.
  ///
  /// An operation is omitted if two conditions hold:
  ///
  /// - The history stays illegal if the operation may have happened at any time after its call,
  ///   with any result, or not at all. So the remaining operations are illegal whatever the omitted
  ///   ones did.
  /// - The remaining operations alone have the same unplaceable operation. So no read remains
  ///   without the write that it observed.
  ///
  /// `prefix`, `states` and `candidates` describe the remaining operations alone.
  ///
  /// - Parameters:
  ///   - counterexample: The result of `check(_:)`.
  ///   - history: The illegal history.
  ///   - stepsPerAttempt: The step limit of one attempt to omit operations. If an attempt reaches
  ///     it, the operations stay.
  /// - Returns: A counterexample with the same unplaceable operation.
  public func core(
    of counterexample: Counterexample<Model>, in history: History<Model.Input, Model.Output>,
    stepsPerAttempt: Int = 20_000
  ) -> Counterexample<Model> {
    let attempt = Checker(model, timeLimit: timeLimit, stepLimit: stepsPerAttempt, memory: memory)
    let deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    // An operation called after this return cannot explain an earlier result.
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
        var operation = history.operations[index]
        if !fewer.contains(index) {
          operation.return = nil
          operation.output = nil
        }
        return operation
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

  /// Returns the halves of `operations`, then the quarters, down to single ones; the earliest
  /// first.
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

  /// Checks only the operations at `indices`; returns a counterexample in terms of the history's
  /// indices.
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

// MARK: Limits

/// The limits of a search: one for all partitions together, and one for a partition's turn.
///
/// A step is one attempt to let an operation take effect. The budget reads the clock once in 1024
/// steps.
struct SearchBudget {
  enum Exhaustion: Equatable { case time, steps, turn }

  private static let stepsPerReading = 1024

  private let deadline: ContinuousClock.Instant?
  private let stepLimit: Int
  private var steps = 0
  private var endOfTurn = 0
  /// Never becomes false again: the search skips an attempt at the time limit, so it must not
  /// continue.
  private var isTimeUp = false

  init(timeLimit: Duration?, stepLimit: Int?) {
    deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    self.stepLimit = stepLimit ?? .max
  }

  /// Begins a turn of at most `allowance` steps.
  mutating func beginTurn(steps allowance: Int) {
    endOfTurn = min(steps + min(allowance, .max - steps), stepLimit)
  }

  /// Counts a step; returns the limit that the search has reached, if any.
  @inline(__always)
  mutating func spend() -> Exhaustion? {
    guard steps < endOfTurn, !isTimeUp else {
      return isTimeUp ? .time : steps < stepLimit ? .turn : .steps
    }
    steps += 1
    guard steps % Self.stepsPerReading == 0, let deadline else { return nil }
    isTimeUp = ContinuousClock.now >= deadline
    return isTimeUp ? .time : nil
  }
}
