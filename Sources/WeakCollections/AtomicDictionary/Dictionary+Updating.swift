import Primitives

extension Dictionary {
  /// Runs `body` on the value for `key`, with `owner`'s exclusion marked as held; nothing changes if it
  /// throws. The outcome carries every reference that must be released outside the exclusion.
  mutating func update<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Value, R, F> {
    let old = self[key]
    var new = old
    let result = Exclusion.hold(owner) { Result { () throws(F) in try body(&new) } }
    if case .success = result { self[key] = new }
    return UpdateOutcome(result: result, old: old, new: new)
  }
}

/// What an `update` did, with the values before and after it kept alive.
struct UpdateOutcome<Value, R, F: Error> {
  let result: Result<R, F>
  let old: Value?
  let new: Value?
}

extension UpdateOutcome: Sendable where Value: Sendable, R: Sendable {}
