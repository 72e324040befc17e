import WeakCollections

/// A dictionary whose operations may suspend.
struct DictionaryTarget: Target {
  let dictionary: Subject.Dictionary

  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response {
    let key = StressKey(step.key ?? -1)
    switch step.verb {
    case .get: return .value(await dictionary.value(forKey: key))
    case .set:
      await dictionary.setValue(offer.object!, forKey: key)
      return .nothing
    case .insert: return .value(await dictionary.value(forKey: key) { offer.object! })
    case .update:
      return .value(
        await dictionary.update(key) { present in
          defer { present = offer.value(after: present, number: step.object!) }
          return present
        })
    case .remove: return .value(await dictionary.removeValue(forKey: key))
    case .count: return .number(await dictionary.count)
    case .snapshot: return .pairs(Array(await dictionary.snapshot))
    case .visit:
      var pairs: [(StressKey, Tracked)] = []
      await dictionary.forEach { pairs.append(($0, $1)) }
      return .pairs(pairs)
    case .removeAll:
      await dictionary.removeAll()
      return .nothing
    default: preconditionFailure("a dictionary has no '\(step.verb.name)'")
    }
  }
}

/// A dictionary that never suspends.
struct SynchronousDictionaryTarget: SynchronousTarget {
  typealias Dictionary = any SynchronousDictionary<StressKey, Tracked>
  // Unsafe in name only: made from a Sendable one, which a cast cannot say.
  nonisolated(unsafe) let dictionary: Dictionary

  func perform(_ step: Scenario.Step, with offer: Offer) -> Response {
    let key = StressKey(step.key ?? -1)
    switch step.verb {
    case .get: return .value(dictionary.value(forKey: key))
    case .set:
      dictionary.setValue(offer.object!, forKey: key)
      return .nothing
    case .insert: return .value(dictionary.value(forKey: key) { offer.object! })
    case .update:
      return .value(
        dictionary.update(key) { present in
          defer { present = offer.value(after: present, number: step.object!) }
          return present
        })
    case .remove: return .value(dictionary.removeValue(forKey: key))
    case .count: return .number(dictionary.count)
    case .snapshot: return .pairs(Array(dictionary.snapshot))
    case .visit: return .pairs(visit())
    case .removeAll:
      dictionary.removeAll()
      return .nothing
    default: preconditionFailure("a dictionary has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [(key: StressKey, value: Tracked)] {
    var pairs: [(key: StressKey, value: Tracked)] = []
    dictionary.forEach { key, value in
      // A change, of a key that no step has: it must not matter to the one who visits.
      if pairs.isEmpty { dictionary.removeValue(forKey: StressKey(-1)) }
      pairs.append((key, value))
    }
    return pairs
  }
}
