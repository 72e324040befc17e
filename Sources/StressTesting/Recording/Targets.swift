import EpochReclamation
import WeakCollections

/// A collection under test that performs steps.
protocol Target: Sendable {
  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response
}

/// A collection under test that performs steps without suspending.
protocol SynchronousTarget: Target {
  func perform(_ step: Scenario.Step, with offer: Offer) -> Response
}

/// The operands of a step.
struct Offer: Sendable {
  /// The object of the step; `nil` for a step without an object, and for `update`, which creates
  /// its object.
  let object: StressObject?
  let registry: LifetimeRegistry
  let reentry: Reentry?

  /// Returns the value that an update stores in place of `present`.
  func value(after present: StressObject?, number: Int) -> StressObject {
    StressObject(number, after: present?.list ?? [], in: registry, reentry: reentry)
  }
}

extension Subject {
  /// Returns a new collection.
  func target(in domain: EpochDomain) -> any Target {
    switch maker {
    case .dictionary(let make):
      let dictionary = make(domain)
      if let dictionary = dictionary as? SynchronousDictionaryTarget.Dictionary {
        return SynchronousDictionaryTarget(dictionary: dictionary)
      }
      return DictionaryTarget(dictionary: dictionary)
    case .weakArray(let make):
      let array = make(domain)
      if let array = array as? SynchronousWeakArrayTarget.WeakArray {
        return SynchronousWeakArrayTarget(array: array)
      }
      return WeakArrayTarget(array: array)
    case .weakSet(let make):
      let set = make(domain)
      if let set = set as? SynchronousWeakSetTarget.WeakSet {
        return SynchronousWeakSetTarget(set: set)
      }
      return WeakSetTarget(set: set)
    }
  }
}

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
      var elements: [StressObject] = []
      await array.forEach { elements.append($0) }
      return .elements(elements)
    case .removeAll:
      await array.removeAll()
      return .nothing
    default: fatalError("a weak array has no '\(step.verb.name)'")
    }
  }
}

/// A weak array that never suspends.
struct SynchronousWeakArrayTarget: SynchronousTarget {
  typealias WeakArray = any SynchronousWeakArray<StressObject>
  // Safe: the value is Sendable, but the type of the cast cannot express that.
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
    default: fatalError("a weak array has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [StressObject] {
    var elements: [StressObject] = []
    array.forEach { element in
      // A mutation that removes only dead entries.
      if elements.isEmpty { array.compact() }
      elements.append(element)
    }
    return elements
  }
}

/// A dictionary whose operations may suspend.
struct DictionaryTarget: Target {
  let dictionary: Subject.Dictionary

  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response {
    let key = StressKey(step.key ?? -1)
    switch step.verb {
    case .get: return .value(await dictionary.value(forKey: key))
    case .values: return .values(await dictionary.values(forKeys: step.keys.map(StressKey.init)))
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
      var pairs: [(StressKey, StressObject)] = []
      await dictionary.forEach { pairs.append(($0, $1)) }
      return .pairs(pairs)
    case .removeAll:
      await dictionary.removeAll()
      return .nothing
    default: fatalError("a dictionary has no '\(step.verb.name)'")
    }
  }
}

/// A dictionary that never suspends.
struct SynchronousDictionaryTarget: SynchronousTarget {
  typealias Dictionary = any SynchronousDictionary<StressKey, StressObject>
  // Safe: the value is Sendable, but the type of the cast cannot express that.
  nonisolated(unsafe) let dictionary: Dictionary

  func perform(_ step: Scenario.Step, with offer: Offer) -> Response {
    let key = StressKey(step.key ?? -1)
    switch step.verb {
    case .get: return .value(dictionary.value(forKey: key))
    case .values: return .values(dictionary.values(forKeys: step.keys.map(StressKey.init)))
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
    default: fatalError("a dictionary has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [(key: StressKey, value: StressObject)] {
    var pairs: [(key: StressKey, value: StressObject)] = []
    dictionary.forEach { key, value in
      // A mutation of a key that no step uses: it must not affect the visit.
      if pairs.isEmpty { dictionary.removeValue(forKey: StressKey(-1)) }
      pairs.append((key, value))
    }
    return pairs
  }
}

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
      var elements: [StressObject] = []
      await set.forEach { elements.append($0) }
      return .members(elements)
    case .removeAll:
      await set.removeAll()
      return .nothing
    default: fatalError("a weak set has no '\(step.verb.name)'")
    }
  }
}

/// A weak set that never suspends.
struct SynchronousWeakSetTarget: SynchronousTarget {
  typealias WeakSet = any SynchronousWeakSet<StressObject>
  // Safe: the value is Sendable, but the type of the cast cannot express that.
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
    default: fatalError("a weak set has no '\(step.verb.name)'")
    }
  }

  private func visit() -> [StressObject] {
    var elements: [StressObject] = []
    set.forEach { element in
      // A mutation that removes only dead entries.
      if elements.isEmpty { set.compact(atLeast: 1) }
      elements.append(element)
    }
    return elements
  }
}
