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
