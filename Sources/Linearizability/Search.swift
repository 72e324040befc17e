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
