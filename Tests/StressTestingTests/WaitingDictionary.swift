import StressTesting
import Threading
import WeakCollections

/// A dictionary that answers nobody before a gate opens.
final class WaitingDictionary: SynchronousDictionary, ConcurrentDictionary, Sendable {
  private let gate: Gate

  init() { gate = Gate() }
  init(_ gate: Gate) { self.gate = gate }

  func value(forKey key: StressKey) -> StressObject? {
    gate.wait()
    return nil
  }

  func setValue(_ value: StressObject, forKey key: StressKey) { gate.wait() }
  func removeValue(forKey key: StressKey) -> StressObject? { nil }
  func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    try makeValue()
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
  ) throws(F) -> R {
    var value: StressObject?
    return try body(&value)
  }

  var count: Int { 0 }
  var snapshot: [StressKey: StressObject] { [:] }
  func removeAll() {}
}
