import WeakCollections

extension Scenario {
  /// Why this cannot be run, or nil.
  var defect: String? {
    if threads.isEmpty { return "no thread" }
    for (index, thread) in threads.enumerated() {
      if let defect = defect(of: thread, index) { return "thread \(index): \(defect)" }
    }
    if !reentrant.isSubset(of: objects) { return "a re-entrant object is in no step" }
    let offered = steps.compactMap(\.object)
    if collection == .dictionary && Set(offered).count < offered.count {
      return "two steps offer the same object"
    }
    return nil
  }

  private func defect(of thread: ThreadPlan, _ index: Int) -> String? {
    if let birth = thread.birth {
      guard 0..<index ~= birth.parent, 0...threads[birth.parent].steps.count ~= birth.step else {
        return "it is born by no step of an earlier thread"
      }
    }
    var dropped: Set<Int> = []
    for step in thread.steps {
      guard let operands = step.verb.operands(in: collection) else {
        return "\(collection.rawValue) has no '\(step.verb.name)'"
      }
      guard operands == Verb.Operands(key: step.key != nil, object: step.object != nil) else {
        return "'\(step)' has the wrong arguments"
      }
      guard let object = step.object else { continue }
      if dropped.contains(object) { return "object \(object) is used after its drop" }
      if step.verb == .drop { dropped.insert(object) }
    }
    return nil
  }
}
