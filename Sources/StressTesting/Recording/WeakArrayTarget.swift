import WeakCollections

/// A weak array whose operations may suspend.
struct WeakArrayTarget: Target {
  let array: Subject.WeakArray

  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response {
    switch step.verb {
    case .append: return .number(await array.append(offer.object!))
    case .contains: return .flag(await array.contains(offer.object!))
    case .remove: return .flag(await array.remove(offer.object!))
    case .compact: return .number(await array.compact())
    case .entryCount: return .number(await array.entryCount)
    case .count: return .number(await array.count)
    case .snapshot: return .elements(await array.all)
    case .visit:
      var elements: [Tracked] = []
      await array.forEach { elements.append($0) }
      return .elements(elements)
    case .removeAll:
      await array.removeAll()
      return .nothing
    default: preconditionFailure("a weak array has no '\(step.verb.name)'")
    }
  }
}

/// A weak array that never suspends.
struct SynchronousWeakArrayTarget: SynchronousTarget {
  typealias WeakArray = any SynchronousWeakArray<Tracked>
  // Unsafe in name only: made from a Sendable one, which a cast cannot say.
  nonisolated(unsafe) let array: WeakArray

  func perform(_ step: Scenario.Step, with offer: Offer) -> Response {
    switch step.verb {
    case .append: return .number(array.append(offer.object!))
    case .contains: return .flag(array.contains(offer.object!))
    case .remove: return .flag(array.remove(offer.object!))
    case .compact: return .number(array.compact())
    case .entryCount: return .number(array.entryCount)
    case .count: return .number(array.count)
    case .snapshot: return .elements(array.all)
    case .visit: return .elements(visit())
    case .removeAll:
      array.removeAll()
      return .nothing
    default: preconditionFailure("a weak array has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [Tracked] {
    var elements: [Tracked] = []
    array.forEach { element in
      // A mutation that removes nothing but what is dead already.
      if elements.isEmpty { array.compact() }
      elements.append(element)
    }
    return elements
  }
}
