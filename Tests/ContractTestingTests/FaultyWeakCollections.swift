import ContractTesting
import Foundation
import WeakCollections

/// A weak array in an actor: its operations suspend.
actor SoundWeakArray<Element: Sendable>: ConcurrentWeakArray {
  private var references: [WeakReference<Element>] = []

  init() {}

  private var live: [Element] { references.compactMap { $0.promote() } }

  private func sweep() -> Int {
    // Held until the end, so that all entries are asked at one moment.
    let held = live
    defer { withExtendedLifetime(held) {} }
    let before = references.count
    references.removeAll { $0.promote() == nil }
    return before - references.count
  }

  nonisolated func append(_ element: Element) async -> Int {
    await appendReference(WeakReference(element))
  }

  private func appendReference(_ reference: WeakReference<Element>) -> Int {
    if references.count >= 64 { _ = sweep() }
    references.append(reference)
    return references.count
  }

  var all: [Element] { live }
  var entryCount: Int { references.count }
  func removeAll() { references = [] }
  func compact() -> Int { sweep() }

  nonisolated func contains(_ element: Element) async -> Bool {
    await contains { $0.refers(to: element) }
  }

  private func contains(where isMatch: @Sendable (WeakReference<Element>) -> Bool) -> Bool {
    references.contains(where: isMatch)
  }

  nonisolated func remove(_ element: Element) async -> Bool {
    await remove { $0.refers(to: element) }
  }

  private func remove(where isMatch: @Sendable (WeakReference<Element>) -> Bool) -> Bool {
    guard let index = references.firstIndex(where: isMatch) else { return false }
    references.remove(at: index)
    return true
  }
}

/// An array that keeps its elements alive, behind a lock.
final class KeepingArray: SynchronousWeakArray, ConcurrentWeakArray, @unchecked Sendable {
  // @unchecked: `elements` is touched under `lock` alone.
  private let lock = NSLock()
  private var elements: [CountedObject] = []

  init() {}

  func append(_ element: CountedObject) -> Int {
    lock.withLock {
      elements.append(element)
      return elements.count
    }
  }

  var all: [CountedObject] { lock.withLock { elements } }
  var entryCount: Int { lock.withLock { elements.count } }
  func contains(_ element: CountedObject) -> Bool { all.contains { $0 === element } }

  func remove(_ element: CountedObject) -> Bool {
    lock.withLock {
      guard let index = elements.firstIndex(where: { $0 === element }) else { return false }
      elements.remove(at: index)
      return true
    }
  }

  func removeAll() { lock.withLock { elements = [] } }
  func compact() -> Int { 0 }
}

/// A weak set that looks and inserts in two steps, and takes equal objects for identical ones.
final class ConfusingSet: SynchronousWeakSet, ConcurrentWeakSet, @unchecked Sendable {
  // @unchecked: `references` is touched under `lock` alone.
  private let lock = NSLock()
  private var references: [WeakReference<CountedObject>] = []

  init() {}

  func insert(_ element: CountedObject) -> WeakSetInsertion<CountedObject> {
    if contains(element) { return (false, element, entryCount) }
    sched_yield()
    return lock.withLock {
      references.append(WeakReference(element))
      return (true, element, references.count)
    }
  }

  var all: [CountedObject] { lock.withLock { references.compactMap { $0.promote() } } }
  var entryCount: Int { lock.withLock { references.count } }
  func contains(_ element: CountedObject) -> Bool { all.contains { $0 == element } }

  func remove(_ element: CountedObject) -> Bool {
    lock.withLock {
      guard let index = references.firstIndex(where: { $0.refers(to: element) }) else {
        return false
      }
      references.remove(at: index)
      return true
    }
  }

  func removeAll() { lock.withLock { references = [] } }

  func compact() -> Int {
    lock.withLock {
      let before = references.count
      references.removeAll { $0.promote() == nil }
      return before - references.count
    }
  }
}

/// A dictionary with weak values that looks and inserts in two steps.
final class RacingInterner: ConcurrentWeakValueDictionary, @unchecked Sendable {
  private let dictionary = MutexWeakValueDictionary<Int, CountedObject>()

  init() {}

  func value(forKey key: Int) -> CountedObject? { dictionary.value(forKey: key) }

  func value<F: Error>(
    forKey key: Int, orInsert makeValue: () throws(F) -> CountedObject
  ) throws(F) -> CountedObject {
    if let value = value(forKey: key) { return value }
    let new = try makeValue()
    setValue(new, forKey: key)
    return new
  }

  func setValue(_ value: CountedObject, forKey key: Int) {
    dictionary.setValue(value, forKey: key)
  }

  func updateValue(_ value: CountedObject, forKey key: Int) -> CountedObject? {
    dictionary.updateValue(value, forKey: key)
  }

  func removeValue(forKey key: Int) -> CountedObject? { dictionary.removeValue(forKey: key) }
  var all: [(key: Int, value: CountedObject)] { dictionary.all }
  var entryCount: Int { dictionary.entryCount }
  func removeAll() { dictionary.removeAll() }
  func compact() -> Int { dictionary.compact() }
}

/// A class of values that no check can make.
final class Stranger: Sendable {}
