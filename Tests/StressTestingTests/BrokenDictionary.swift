import Foundation
import StressTesting
import WeakCollections

/// A dictionary behind a mutex with one defect.
final class BrokenDictionary: SynchronousDictionary, ConcurrentDictionary, Sendable {
  typealias Key = StressKey
  typealias Value = StressObject

  enum Defect: String, CaseIterable, Sendable {
    /// Get or insert is a read followed by a set, so that a thread that loses a race gets its own
    /// value.
    case checkThenAct
    /// `update` is a read followed by a set.
    case torn
    /// `removeAll` forgets a key.
    case forgetful
    /// A batch has the values in the opposite order.
    case reversing
    /// `count` is too high by one.
    case miscounting
    /// Every value is kept alive indefinitely.
    case hoarding
  }

  private let inner = MutexDictionary<StressKey, StressObject>()
  private let defect: Defect

  init() { defect = .checkThenAct }
  init(_ defect: Defect) { self.defect = defect }

  static func subject(_ defect: Defect) -> Subject {
    Subject(defect.rawValue) { _ -> Subject.Dictionary in BrokenDictionary(defect) }
  }

  func value(forKey key: StressKey) -> StressObject? { inner.value(forKey: key) }

  func values(forKeys keys: [StressKey]) -> [StressObject?] {
    inner.values(forKeys: defect == .reversing ? [keys[1], keys[0], keys[1]] : keys)
  }

  func setValue(_ value: StressObject, forKey key: StressKey) {
    if defect == .hoarding { Self.hoard.setValue(value, forKey: value.number) }
    inner.setValue(value, forKey: key)
  }

  func removeValue(forKey key: StressKey) -> StressObject? { inner.removeValue(forKey: key) }

  func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    guard defect == .checkThenAct else {
      return try inner.value(forKey: key, orInsert: makeValue)
    }
    if let present = inner.value(forKey: key) { return present }
    let value = try makeValue()
    // Another thread runs here on a busy machine too, so that small scenarios fail.
    sched_yield()
    inner.setValue(value, forKey: key)
    return value
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
  ) throws(F) -> R {
    guard defect == .torn else { return try inner.update(key, body) }
    var value = inner.value(forKey: key)
    let result = try body(&value)
    if let value { inner.setValue(value, forKey: key) } else { inner.removeValue(forKey: key) }
    return result
  }

  var count: Int { inner.count + (defect == .miscounting ? 1 : 0) }
  var snapshot: [StressKey: StressObject] { inner.snapshot }

  func removeAll() {
    let kept = defect == .forgetful ? inner.snapshot.keys.max { $0.number < $1.number } : nil
    for key in inner.snapshot.keys where key != kept { inner.removeValue(forKey: key) }
  }

  // Static, so that it outlives every dictionary.
  private static let hoard = MutexDictionary<Int, StressObject>()
}
