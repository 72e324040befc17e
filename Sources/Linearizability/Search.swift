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
//  4. Each frame is a configuration at a return, with what has not been tried there. Frames further up
//     have a greater position, or the same one and more placed: no configuration follows from itself, so
//     it is enough to remember one when nothing is left to try.
//  5. An operation that never returned is placed only where it changes the state: leaving it out
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

  private struct Configuration: Hashable {
    let position: Int
    let placed: Slots
    let state: Model.State
  }

  private struct Frame {
    let position: Int
    let placed: Slots
    let orderCount: Int
    /// `nil` if there is no choice of operation; then `untried` is empty.
    let state: Model.State?
    /// Open operations that have not been tried.
    var untried: Slots
    /// The operation tried last, and the states besides those tried to which it may lead.
    var slot: Int
    var alternatives: [Model.State] = []
  }

  private let model: Model
  private let operations: [Operation<Model.Input, Model.Output>]
  let timeline: Timeline<Model.Partition>
  private let memory: Int
  var budget: SearchBudget

  private var position = 0
  private var open: Slots
  private var placed: Slots
  private var occupants: [Int32]
  private var state: Model.State
  private var frames: [Frame] = []
  private var failed: Set<Configuration> = []

  /// The order found, or the one tried last.
  private(set) var order: [Placement] = []
  /// The state before the first operation of `order` and after each; empty unless asked for.
  private(set) var states: [Model.State] = []
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

  /// Searches the events in `range`, which begins where a part does.
  mutating func run(_ range: Range<Int>, keepsStates: Bool = false) -> Outcome {
    begin(at: range.lowerBound)
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
        if let exhaustion = budget.spend() { return .stopped(exhaustion) }
        furthest = max(furthest, position)
        guard choose(returning: slot) || backtrack() else { return .exhausted }
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
    if !failed.isEmpty { failed.removeAll() }
  }

  /// The operation in `slot` returns: places it, and remembers what could be placed before it. False at
  /// a dead end.
  private mutating func choose(returning slot: Int) -> Bool {
    var others = open.subtracting(placed)
    others.remove(slot)
    let isForced = others.isEmpty
    if !isForced && isKnownFailure { return false }
    var frame = Frame(
      position: position, placed: placed, orderCount: order.count, state: isForced ? nil : state,
      untried: others, slot: slot)
    let isPossible = place(slot, alternatives: &frame.alternatives)
    if !isForced || !frame.alternatives.isEmpty { frames.append(frame) }
    return isPossible
  }

  private var isKnownFailure: Bool {
    !failed.isEmpty
      && failed.contains(Configuration(position: position, placed: placed, state: state))
  }

  /// Goes to the next configuration that has not been tried; false if there is none.
  private mutating func backtrack() -> Bool {
    while let last = frames.indices.last {
      rewind(to: last)
      if let alternative = frames[last].alternatives.popLast() {
        state = alternative
        note(frames[last].slot)
        return true
      }
      guard let start = frames[last].state else {
        frames.removeLast()
        continue
      }
      if let slot = frames[last].untried.popFirst() {
        state = start
        if tryNext(slot, from: start, frame: last) { return true }
      } else {
        if failed.count < memory {
          let frame = frames[last]
          failed.insert(
            Configuration(position: frame.position, placed: frame.placed, state: start))
        }
        frames.removeLast()
      }
    }
    return false
  }

  private mutating func tryNext(_ slot: Int, from start: Model.State, frame: Int) -> Bool {
    var alternatives: [Model.State] = []
    guard place(slot, alternatives: &alternatives) else { return false }
    // Invariant 5.
    let isIdle = alternatives.isEmpty && operations[Int(occupants[slot])].return == nil
    if isIdle && state == start { return false }
    frames[frame].slot = slot
    frames[frame].alternatives = alternatives
    return true
  }

  /// Lets the operation in `slot` take effect; false, with whatever in `state`, if it cannot.
  private mutating func place(_ slot: Int, alternatives: inout [Model.State]) -> Bool {
    let operation = Int(occupants[slot])
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
    order.append(Placement(operation: occupants[slot], position: position))
    if !states.isEmpty { states.append(state) }
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
