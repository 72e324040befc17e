import StressTesting
import WeakCollections

/// The published get-or-insert: it looks in one step and sets in another, so that of two threads that
/// find nothing each sets a value of its own, and returns it.
final class CheckThenActDictionary: WrappedDictionary, @unchecked Sendable {
  override func value(forKey key: StressKey, orInsert makeValue: () -> Tracked) -> Tracked {
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    setValue(made, forKey: key)
    return made
  }
}

/// Get-or-insert inserts in one step, but a loser returns the value that it had made.
final class LoserKeepsItsOwnDictionary: WrappedDictionary, @unchecked Sendable {
  override func value(forKey key: StressKey, orInsert makeValue: () -> Tracked) -> Tracked {
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    _ = super.value(forKey: key, orInsert: { made })
    return made
  }
}
