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
