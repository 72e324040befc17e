import EpochReclamation
import Primitives

extension LockFreeDictionary {
  /// What becomes of a key's value.
  enum Decision {
    case leave
    /// The value offered takes its place.
    case replace
    case remove
  }

  /// Changes the value for `key`, or leaves it, by what it is, in one step: `decide` gets it, or nil, and
  /// may be called again if it changed meanwhile. Returns what the last call said.
  ///
  /// `decide` must be free of effects and short: it runs under the pin. What a value refers to is not
  /// released before the pin ends.
  func change<R>(
    _ key: Key, offering offer: Value, _ decide: (Value?) -> (Decision, R)
  ) -> R {
    Exclusion.checkNotHeld(self)
    let offered = Coding.encode(offer)
    var decision = Decision.leave
    var answer: R?
    change(key, Print(key)) { present in
      (decision, answer) = decide(Coding.copy(present))
      switch decision {
      case .leave: return nil
      case .replace: return offered
      case .remove: return present == .absent ? nil : .absent
      }
    } finish: { old in
      if decision != .leave { Coding.retire(old, in: domain) }
    }
    if decision != .replace { Coding.destroy(offered) }
    return answer.unsafelyUnwrapped
  }
}
