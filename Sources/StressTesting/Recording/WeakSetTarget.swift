import WeakCollections

/// A weak set whose operations may suspend.
struct WeakSetTarget: Target {
  let set: Subject.WeakSet

  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response {
    switch step.verb {
    case .join: return .insertion(await set.insert(offer.object!))
    case .contains: return .flag(await set.contains(offer.object!))
    case .remove: return .flag(await set.remove(offer.object!))
    case .compact: return .number(await set.compact())
    case .compactOne: return .number(await set.compact(atLeast: 1))
    case .entryCount: return .number(await set.entryCount)
    case .count: return .number(await set.count)
    case .snapshot: return .members(await set.all)
    case .visit:
      var elements: [Tracked] = []
      await set.forEach { elements.append($0) }
      return .members(elements)
    case .removeAll:
      await set.removeAll()
      return .nothing
    default: preconditionFailure("a weak set has no '\(step.verb.name)'")
    }
  }
}

/// A weak set that never suspends.
struct SynchronousWeakSetTarget: SynchronousTarget {
  typealias WeakSet = any SynchronousWeakSet<Tracked>
  // Unsafe in name only: made from a Sendable one, which a cast cannot say.
  nonisolated(unsafe) let set: WeakSet

  func perform(_ step: Scenario.Step, with offer: Offer) -> Response {
    switch step.verb {
    case .join: return .insertion(set.insert(offer.object!))
    case .contains: return .flag(set.contains(offer.object!))
    case .remove: return .flag(set.remove(offer.object!))
    case .compact: return .number(set.compact())
    case .compactOne: return .number(set.compact(atLeast: 1))
    case .entryCount: return .number(set.entryCount)
    case .count: return .number(set.count)
    case .snapshot: return .members(set.all)
    case .visit: return .members(visit())
    case .removeAll:
      set.removeAll()
      return .nothing
    default: preconditionFailure("a weak set has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [Tracked] {
    var elements: [Tracked] = []
    set.forEach { element in
      // A mutation that removes nothing but what is dead already.
      if elements.isEmpty { set.compact(atLeast: 1) }
      elements.append(element)
    }
    return elements
  }
}
