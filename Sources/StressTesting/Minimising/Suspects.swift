extension Violation {
  /// The smallest scenarios that could fail the same way: two operations that ran at the same time, one
  /// of them, where that is known, among those that have no place in the order.
  ///
  /// What real threads do only now and then shows up sooner when nothing else is done.
  func suspects(in scenario: Scenario) -> [Scenario] {
    guard let recording else { return [] }
    let all = recording.operations.indices.filter {
      recording.operations[$0].lane < scenario.threads.count
    }
    let stuck = Set(placement?.stuck.compactMap { $0 } ?? []).intersection(all)
    let first = stuck.isEmpty ? all : stuck.sorted()
    let pairs = first.flatMap { one in
      all.compactMap { other -> Scenario? in
        let (one, other) = (recording.operations[one], recording.operations[other])
        guard one.lane != other.lane, one.overlaps(other) else { return nil }
        return scenario.reduced(to: [one.step], [other.step])
      }
    }
    return pairs.filter { $0.defect == nil }
  }
}

extension RecordedOperation {
  fileprivate func overlaps(_ other: RecordedOperation) -> Bool {
    call < other.return ?? .max && other.call < self.return ?? .max
  }
}

extension Scenario {
  /// A thread for each list of steps, which are steps of this scenario.
  fileprivate func reduced(to steps: [Step]...) -> Scenario {
    var reduced = Scenario(collection, steps.map { ThreadPlan($0) })
    reduced.reentrant = reentrant.intersection(reduced.objects)
    return reduced
  }
}
