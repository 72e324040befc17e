import Linearizability

/// Does what a verdict says, to see whether it is true.
enum Replay {
  /// Whether `points` are an order that explains the results of `history`: each within its
  /// operation's call and return, every operation that returned once, and every result possible
  /// where it stands.
  static func explains<Model: SequentialModel>(
    _ points: [LinearizationPoint], _ history: History<Model.Input, Model.Output>, _ model: Model
  ) -> Bool {
    let operations = history.operations
    let placed = Set(points.map(\.operation))
    let areWithin = points.allSatisfy { point in
      let operation = operations[point.operation]
      return operation.call <= point.stamp && point.stamp <= operation.return ?? .max
    }
    let areComplete = operations.indices.allSatisfy {
      operations[$0].return == nil || placed.contains($0)
    }
    guard areWithin, areComplete, placed.count == points.count else { return false }
    var states: [Model.Partition: Set<Model.State>] = [:]
    // The standard library's sort is stable.
    for point in points.sorted(by: { $0.stamp < $1.stamp }) {
      let operation = operations[point.operation]
      let part = model.partition(of: operation.input)
      let next = states[part, default: [model.initialState]].flatMap {
        model.successors(of: $0, after: operation.input, returning: operation.output)
      }
      states[part] = Set(next)
      if next.isEmpty { return false }
    }
    return true
  }
}
