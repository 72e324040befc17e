// The search for a linearization (Wing and Gong, "Testing and verifying concurrent objects", 1993),
// just in time and with memory (Lowe, "Testing for linearizability", 2016), over one partition.
//
// The search visits the calls and returns in order of time. An operation is *open* from its call to
// its return. At its return, an operation that has not taken effect must take effect now. Other
// open operations may take effect before it; the search tries all subsets of them, in all orders.
//
// Placing linearization points only at returns loses no solution: in any solution, each point can
// move to the next return of an operation with the same or a later point. Each point stays between
// the call and the return of its operation, and the order of the points does not change.
//
// A *configuration* is a position, the open operations that have taken effect, and the state. The
// possible continuations depend on nothing else. So the search remembers each configuration without
// a solution, and never enters it again. Concurrent operations have different *slots*, and a
// position and a slot identify an operation. So the set of open operations that took effect is a
// bit mask, however long the history is.
//
// Invariants:
//  1. `open` holds the slots of the operations that were called before `position` and did not
//     return before it; `openOperations` maps each slot to its operation.
//  2. `placed` is a subset of `open`; `order` holds exactly `placed` and the operations that
//     returned.
//  3. `state` is the state after `order`.
//  4. Each frame is a return at which there was a choice. Its nodes are the configurations at that
//     return, in order of increasing number of placed operations. So no more operations take effect
//     than the results need, which matters most for operations that never returned. Later frames
//     have greater positions.
//  5. A remembered configuration is a node of a frame, or has no solution.
//  6. An operation that never returned is placed only where it changes the state. Where it does not
//     change the state, omitting it allows the same results.

/// Searches for orders of the partitions' operations that explain every result, one partition at a
/// time.
struct Search<Model: SequentialModel, Slots: SlotSet> {
  enum Outcome: Equatable {
    case found
    case exhausted
    case stopped(SearchBudget.Exhaustion)
  }

  /// An operation that took effect just before the return at `position`.
  private struct Effect {
    let operation: Int32
    let position: Int32
  }

  /// A position in the history, and the effects before it. Equal configurations have the same
  /// continuations.
  private struct Configuration: Hashable {
    let position: Int
    let placed: Slots
    let state: Model.State
  }

  /// A configuration at a frame's return: the configuration of node `parent`, with one more
  /// operation placed.
  private struct Node {
    let placed: Slots
    let state: Model.State
    let parent: Int
    let slot: Int
  }

  /// A return at which several operations could take effect.
  private struct Frame {
    let position: Int
    let placed: Slots
    let orderCount: Int
    /// `nil` if the returning operation is the only one to place.
    let state: Model.State?
    /// The slot of the operation that returns.
    let returning: Int
    /// All nodes but number 0, which consists of `placed` and `state`.
    var nodes: [Node] = []
    /// The node at which the returning operation was placed last.
    var current = 0
    /// The untried states after the returning operation at that node.
    var alternatives: [Model.State] = []
  }

  private let model: Model
  private let operations: [Operation<Model.Input, Model.Output>]
  private let timeline: HistoryTimeline<Model.Partition>
  private let memory: Int
  private var budget: SearchBudget

  private var position = 0
  private var open: Slots
  private var placed: Slots
  private var openOperations: [Int32]
  private var state: Model.State
  private var frames: [Frame] = []
  private var failed: Set<Configuration> = []
  private var exhaustion: SearchBudget.Exhaustion?

  /// The order found, or the one tried last.
  private var order: [Effect] = []
  /// The state before the first operation of `order`, and the state after each operation; empty if
  /// not requested.
  private var states: [Model.State] = []
  /// The greatest position at which an operation had to take effect. If the search is exhausted, no
  /// order explains the return there.
  private var furthest = 0

  /// - Parameter memory: The maximum number of configurations to remember.
  init(
    _ model: Model, _ operations: [Operation<Model.Input, Model.Output>],
    _ timeline: HistoryTimeline<Model.Partition>, budget: SearchBudget, memory: Int
  ) {
    self.model = model
    self.operations = operations
    self.timeline = timeline
    self.budget = budget
    self.memory = memory
    state = model.initialState
    open = Slots(capacity: timeline.slotCount)
    placed = open
    openOperations = Array(repeating: 0, count: timeline.slotCount)
  }

  /// Searches the events in `range`, which begins at the start of a partition, in at most `steps`
  /// steps.
  mutating func run(
    _ range: Range<Int>, steps: Int = .max, keepsStates: Bool = false
  ) -> Outcome {
    begin(at: range.lowerBound)
    budget.beginTurn(steps: steps)
    states = keepsStates ? [state] : []
    while position < range.upperBound {
      let event = timeline.events[position]
      let slot = Int(timeline.slots[event.operation])
      if !event.isReturn {
        open.insert(slot)
        openOperations[slot] = Int32(truncatingIfNeeded: event.operation)
        position += 1
      } else if placed.contains(slot) {
        open.remove(slot)
        placed.remove(slot)
        position += 1
      } else {
        furthest = max(furthest, position)
        guard choose(returning: slot) || backtrack() else {
          return exhaustion.map(Outcome.stopped) ?? .exhausted
        }
      }
    }
    return .found
  }

  private mutating func begin(at start: Int) {
    position = start
    furthest = start
    open = Slots(capacity: timeline.slotCount)
    placed = open
    state = model.initialState
    order.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
    exhaustion = nil
    if !failed.isEmpty { failed.removeAll() }
  }

  /// Lets the operation in `slot` take effect. Returns false, with `state` unspecified, if it
  /// cannot.
  private mutating func place(_ slot: Int, alternatives: inout [Model.State]) -> Bool {
    exhaustion = budget.spend()
    guard exhaustion == nil else { return false }
    let operation = Int(openOperations[slot])
    guard
      model.advance(
        &state, after: operations[operation].input, returning: operations[operation].output,
        others: &alternatives)
    else { return false }
    note(slot)
    return true
  }

  private mutating func note(_ slot: Int) {
    placed.insert(slot)
    let position = Int32(truncatingIfNeeded: position)
    order.append(Effect(operation: openOperations[slot], position: position))
    if !states.isEmpty { states.append(state) }
  }
}

// MARK: Choices (invariants 4 to 6)

extension Search {
  /// Places the operation in `slot`, which returns, and records that others can precede it. Returns
  /// false if that leads to no solution.
  private mutating func choose(returning slot: Int) -> Bool {
    var others = open.subtracting(placed)
    others.remove(slot)
    let isForced = others.isEmpty
    if !isForced && isKnownFailure { return false }
    var frame = Frame(
      position: position, placed: placed, orderCount: order.count, state: isForced ? nil : state,
      returning: slot)
    let isPossible = place(slot, alternatives: &frame.alternatives)
    if !isForced || !frame.alternatives.isEmpty { frames.append(frame) }
    return isPossible
  }

  private var isKnownFailure: Bool {
    !failed.isEmpty
      && failed.contains(Configuration(position: position, placed: placed, state: state))
  }

  /// Enters the next configuration that has not been tried; returns false if there is none.
  private mutating func backtrack() -> Bool {
    while exhaustion == nil, let last = frames.indices.last {
      rewind(to: last)
      let slot = frames[last].returning
      if let alternative = frames[last].alternatives.popLast() {
        enter(last)
        state = alternative
        note(slot)
        return true
      }
      guard expand(last) else {
        frames.removeLast()
        continue
      }
      frames[last].current += 1
      enter(last)
      var alternatives: [Model.State] = []
      let isPossible = place(slot, alternatives: &alternatives)
      frames[last].alternatives = alternatives
      if isPossible { return true }
    }
    return false
  }

  /// Adds the configurations that follow a frame's current node to its nodes; returns false if no
  /// node is left.
  private mutating func expand(_ frame: Int) -> Bool {
    guard let start = frames[frame].state else { return false }
    let current = frames[frame].current
    let node = current == 0 ? nil : frames[frame].nodes[current - 1]
    let from = node?.state ?? start
    let placedBefore = node?.placed ?? frames[frame].placed
    if current == 0 {
      _ = isNew(Configuration(position: position, placed: placedBefore, state: from))
    }
    var slots = open.subtracting(placedBefore)
    slots.remove(frames[frame].returning)
    while exhaustion == nil, let slot = slots.popFirst() {
      var placed = placedBefore
      placed.insert(slot)
      for next in following(slot, from: from)
      where isNew(Configuration(position: position, placed: placed, state: next)) {
        frames[frame].nodes.append(Node(placed: placed, state: next, parent: current, slot: slot))
      }
    }
    return current < frames[frame].nodes.count
  }

  /// Remembers `configuration` as long as `memory` allows; returns whether it was new.
  private mutating func isNew(_ configuration: Configuration) -> Bool {
    failed.count < memory
      ? failed.insert(configuration).inserted : !failed.contains(configuration)
  }

  /// Returns the states after the operation in `slot`, without those that invariant 6 excludes.
  private mutating func following(_ slot: Int, from start: Model.State) -> [Model.State] {
    var next = start
    var others: [Model.State] = []
    exhaustion = budget.spend()
    guard exhaustion == nil else { return [] }
    let operation = operations[Int(openOperations[slot])]
    guard
      model.advance(
        &next, after: operation.input, returning: operation.output, others: &others)
    else { return [] }
    others.append(next)
    guard operation.return == nil else { return others }
    return others.filter { $0 != start }  // Invariant 6.
  }

  /// Enters the configuration of a frame's current node, after `rewind`.
  private mutating func enter(_ frame: Int) {
    let current = frames[frame].current
    guard current > 0 else {
      if let start = frames[frame].state { state = start }
      return
    }
    var path: [Int] = []
    var index = current
    while index > 0 {
      path.append(index)
      index = frames[frame].nodes[index - 1].parent
    }
    for index in path.reversed() {
      let node = frames[frame].nodes[index - 1]
      state = node.state
      note(node.slot)
    }
  }

  /// Restores a frame's configuration, except for the state.
  private mutating func rewind(to frame: Int) {
    while position > frames[frame].position {
      position -= 1
      let event = timeline.events[position]
      let slot = Int(timeline.slots[event.operation])
      if event.isReturn {
        open.insert(slot)
        openOperations[slot] = Int32(truncatingIfNeeded: event.operation)
      } else {
        open.remove(slot)
      }
    }
    placed = frames[frame].placed
    let surplus = order.count - frames[frame].orderCount
    order.removeLast(surplus)
    if !states.isEmpty { states.removeLast(surplus) }
  }
}

// MARK: Results

extension Search {
  /// `order`, with the stamps of the returns.
  var points: [LinearizationPoint] {
    order.map { effect in
      let forcing = timeline.events[Int(effect.position)].operation
      return LinearizationPoint(
        operation: Int(effect.operation), stamp: operations[forcing].return ?? .max)
    }
  }

  /// Returns the reason why `part` is illegal, after `run` exhausted it.
  mutating func counterexample(
    to part: HistoryTimeline<Model.Partition>.Part
  ) -> Counterexample<Model> {
    let end = furthest
    budget = SearchBudget(timeLimit: nil, stepLimit: nil)
    // Some order explains every result before the return at `furthest`. A second search finds that
    // order in no more steps than the first one.
    let outcome = run(part.events.lowerBound..<end, keepsStates: true)
    guard outcome == .found else {
      fatalError(
        "a second search was \(outcome) before position \(end), which the first search reached; "
          + "the model must return equal results for equal arguments")
    }
    let events = timeline.events
    return Counterexample(
      partition: part.partition,
      operations: events[part.events].filter { !$0.isReturn }.map { $0.operation },
      prefix: points,
      states: states,
      unplaceable: events[end].operation,
      candidates: candidates)
  }

  /// The open operations that are not in `order`.
  private var candidates: [Int] {
    var slots = open.subtracting(placed)
    var operations: [Int] = []
    while let slot = slots.popFirst() { operations.append(Int(openOperations[slot])) }
    return operations.sorted()
  }
}
