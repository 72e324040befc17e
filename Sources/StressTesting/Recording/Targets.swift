import EpochReclamation

/// A collection under test that does what steps say.
protocol Target: Sendable {
  func perform(_ step: Scenario.Step, with offer: Offer) async -> Response
}

/// The same without suspending.
protocol SynchronousTarget: Target {
  func perform(_ step: Scenario.Step, with offer: Offer) -> Response
}

/// What a step brings along.
struct Offer: Sendable {
  /// The step's object; nil for a step without one, and for `update`, which makes it.
  let object: Tracked?
  let ledger: Ledger
  let reentry: Reentry?

  /// The value that an update makes of the present one.
  func value(after present: Tracked?, number: Int) -> Tracked {
    Tracked(number, after: present?.list ?? [], in: ledger, reentry: reentry)
  }
}

extension Subject {
  /// A new collection.
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
