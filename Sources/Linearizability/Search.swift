// The search for a linearization (Wing and Gong, "Testing and verifying concurrent objects", 1993),
// just in time and with memory (Lowe, "Testing for linearizability", 2016), over one part of an object.
//
// It walks the calls and returns in order of time. A call makes an operation *open*. At the return of
// an operation that has not taken effect yet, it must take effect now; other open operations may take
// effect before it, and which of them, and in what order, is what the search tries. Nothing is lost by
// waiting for a return: a linearization point that is moved later, up to the next return of an
// operation that is placed no earlier, passes no other point.
//
// A *configuration* is a position, the open operations that have taken effect, and the state. What can
// follow depends on nothing else, so a configuration that led nowhere is remembered and never entered
// again. Operations that are under way together have different *slots*, and position and slot tell the
// operation: the set of open operations that took effect is a bit mask however long the history is.
//
// Invariants:
//  1. `open` holds the slots of the operations called before `position` that did not return before it;
//     `occupants` tells the operation of each.
//  2. `placed` is a subset of `open`; with the operations that returned it is what `order` holds.
//  3. `state` is what `order` leads to.
//  4. Each frame is a return at which there was a choice. Its nodes are the configurations there, those
//     with fewer operations placed first, so that no more take effect than results ask for; above all
//     of those that never returned. Frames further up have a greater position.
//  5. A configuration that is remembered is a node of a frame, or led nowhere.
//  6. An operation that never returned is placed only where it changes the state: leaving it out
//     otherwise allows no less.

/// Looks for orders of the parts' operations that explain every result, one part after the other.
struct Search<Model: SequentialModel, Slots: SlotSet> {
  enum Outcome: Equatable {
    case found
    case exhausted
    case stopped(SearchBudget.Exhaustion)
  }

  /// An operation that took effect just before the return at `position`.
  struct Placement {
    let operation: Int32
    let position: Int32
  }

  let model: Model
  let operations: [Operation<Model.Input, Model.Output>]
  let timeline: Timeline<Model.Partition>
  let memory: Int
  var budget: SearchBudget

  var position = 0
  var open: Slots
  var placed: Slots
  var occupants: [Int32]
  var state: Model.State
  var frames: [Frame] = []
  var failed: Set<Configuration> = []
  var exhaustion: SearchBudget.Exhaustion?

  /// The order found, or the one tried last.
  var order: [Placement] = []
  /// The state before the first operation of `order` and after each; empty unless asked for.
  var states: [Model.State] = []
  /// How far any order explains the results: the position of a return that none gets past.
  private(set) var furthest = 0

  /// - Parameter memory: how many configurations are remembered at most.
  init(
    _ model: Model, _ operations: [Operation<Model.Input, Model.Output>],
    _ timeline: Timeline<Model.Partition>, budget: SearchBudget, memory: Int
  ) {
    self.model = model
    self.operations = operations
    self.timeline = timeline
    self.budget = budget
    self.memory = memory
    state = model.initialState
    open = Slots(capacity: timeline.slotCount)
    placed = open
    occupants = Array(repeating: 0, count: timeline.slotCount)
  }

  /// Searches the events in `range`, which begins where a part does, in at most so many steps.
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
        occupants[slot] = Int32(truncatingIfNeeded: event.operation)
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

  /// The open operations that are not in `order`.
  var candidates: [Int] {
    var slots = open.subtracting(placed)
    var operations: [Int] = []
    while let slot = slots.popFirst() { operations.append(Int(occupants[slot])) }
    return operations.sorted()
  }

  /// `order`, with the stamps of the returns.
  var points: [LinearizationPoint] {
    order.map { placement in
      let forcing = timeline.events[Int(placement.position)].operation
      return LinearizationPoint(
        operation: Int(placement.operation), stamp: operations[forcing].return ?? .max)
    }
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

  /// Lets the operation in `slot` take effect; false, with whatever in `state`, if it cannot.
  mutating func place(_ slot: Int, alternatives: inout [Model.State]) -> Bool {
    exhaustion = budget.spend()
    guard exhaustion == nil else { return false }
    let operation = Int(occupants[slot])
    guard
      model.advance(
        &state, after: operations[operation].input, returning: operations[operation].output,
        others: &alternatives)
    else { return false }
    note(slot)
    return true
  }

  mutating func note(_ slot: Int) {
    placed.insert(slot)
    let position = Int32(truncatingIfNeeded: position)
    order.append(Placement(operation: occupants[slot], position: position))
    if !states.isEmpty { states.append(state) }
  }
}

extension Search {
  struct Configuration: Hashable {
    let position: Int
    let placed: Slots
    let state: Model.State
  }

  /// A configuration at a frame's return: that of `parent` with one more operation placed.
  struct Node {
    let placed: Slots
    let state: Model.State
    let parent: Int
    let slot: Int
  }

  struct Frame {
    let position: Int
    let placed: Slots
    let orderCount: Int
    /// `nil` if there is nothing else to place.
    let state: Model.State?
    /// The slot of the operation that returns.
    let returning: Int
    /// All but the first, which is `placed` and `state`; so they count from 1.
    var nodes: [Node] = []
    /// The node at which the returning operation was placed last.
    var current = 0
    /// The states besides those tried to which that led.
    var alternatives: [Model.State] = []
  }
}

// Invariants 4 to 6 of Search.swift are kept here.

extension Search {
  /// The operation in `slot` returns: places it, and remembers that others could be placed before it.
  /// False at a dead end.
  mutating func choose(returning slot: Int) -> Bool {
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

  /// Goes to the next configuration that has not been tried; false if there is none.
  mutating func backtrack() -> Bool {
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

  /// Adds what can be placed next at a frame's current node to its nodes; false if no node is left.
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

  /// Remembers a configuration, as long as there is memory.
  private mutating func isNew(_ configuration: Configuration) -> Bool {
    failed.count < memory
      ? failed.insert(configuration).inserted : !failed.contains(configuration)
  }

  /// The states after the operation in `slot`, but for those that need no trying.
  private mutating func following(_ slot: Int, from start: Model.State) -> [Model.State] {
    var next = start
    var others: [Model.State] = []
    exhaustion = budget.spend()
    guard exhaustion == nil else { return [] }
    let operation = operations[Int(occupants[slot])]
    guard
      model.advance(
        &next, after: operation.input, returning: operation.output, others: &others)
    else { return [] }
    others.append(next)
    guard operation.return == nil else { return others }
    return others.filter { $0 != start }  // Invariant 6.
  }

  /// Takes on the configuration of a frame's current node, after `rewind`.
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

  /// Walks back to a frame's configuration, except for the state.
  private mutating func rewind(to frame: Int) {
    while position > frames[frame].position {
      position -= 1
      let event = timeline.events[position]
      let slot = Int(timeline.slots[event.operation])
      if event.isReturn {
        open.insert(slot)
        occupants[slot] = Int32(truncatingIfNeeded: event.operation)
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

extension Search {
  /// What to tell about a part after `run` was exhausted.
  mutating func counterexample(
    to part: Timeline<Model.Partition>.Part
  ) -> Counterexample<Model> {
    let end = furthest
    budget = SearchBudget(timeLimit: nil, stepLimit: nil)
    // Some order explains everything before the return that none gets past: this finds it again, in no
    // more steps than it took to get there.
    let outcome = run(part.events.lowerBound..<end, keepsStates: true)
    precondition(outcome == .found, "a search reached a return that it cannot reach again")
    let events = timeline.events
    return Counterexample(
      partition: part.partition,
      operations: events[part.events].filter { !$0.isReturn }.map { $0.operation },
      prefix: points,
      states: states,
      unplaceable: events[end].operation,
      candidates: candidates)
  }
}

/// How long a search may go on: all parts together, and one part until the others had their turn.
///
/// A step is one attempt to let an operation take effect. The clock is read once in many
/// steps.
struct SearchBudget {
  enum Exhaustion: Equatable { case time, steps, turn }

  private static let stepsPerReading = 1024

  private let deadline: ContinuousClock.Instant?
  private let stepLimit: Int
  private var steps = 0
  private var endOfTurn = 0
  /// The clock is not asked again: a search that goes on after all would have left something out.
  private var isTimeUp = false

  init(timeLimit: Duration?, stepLimit: Int?) {
    deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    self.stepLimit = stepLimit ?? .max
  }

  /// Begins a turn of at most so many steps.
  mutating func beginTurn(steps allowance: Int) {
    endOfTurn = min(steps + min(allowance, .max - steps), stepLimit)
  }

  /// Counts a step; says what is used up, if anything is.
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
