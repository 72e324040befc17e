import StressTesting
import WeakCollections

/// A weak array behind a mutex with one defect.
final class BrokenWeakArray: SynchronousWeakArray, ConcurrentWeakArray, Sendable {
  typealias Element = StressObject

  enum Defect: String, CaseIterable, Sendable {
    /// Two appends may get the same number.
    case staleNumber
    /// A snapshot is in the wrong order.
    case reversed
    /// An element that is appended twice has only one entry.
    case set
    /// Every element is kept alive.
    case strong
    /// The removal of an element also removes another one.
    case losing
    /// Dead entries are never removed.
    case growing
  }

  private let inner = MutexWeakArray<StressObject>()
  // Not a `Mutex`, because ThreadSanitizer does not see how a contended one changes its owner.
  private let kept = MutexLock<[StressObject]>([])
  private let entries = MutexLock<Int>(0)
  private let defect: Defect

  init() { defect = .staleNumber }
  init(_ defect: Defect) { self.defect = defect }

  static func subject(_ defect: Defect) -> Subject {
    Subject(defect.rawValue) { _ -> Subject.WeakArray in BrokenWeakArray(defect) }
  }

  func append(_ element: StressObject) -> Int {
    if defect == .strong { kept.write { $0.append(element) } }
    if defect == .set && inner.contains(element) { return inner.entryCount }
    if defect == .growing { entries.write { $0 += 1 } }
    if defect == .staleNumber {
      let count = inner.entryCount
      inner.append(element)
      return count + 1
    }
    return inner.append(element)
  }

  var all: [StressObject] { defect == .reversed ? inner.all.reversed() : inner.all }
  var count: Int { inner.count }
  var entryCount: Int {
    defect == .growing ? entries.read { $0 } : inner.entryCount
  }
  func contains(_ element: StressObject) -> Bool { inner.contains(element) }

  func remove(_ element: StressObject) -> Bool {
    let isRemoved = inner.remove(element)
    if defect == .losing, let other = inner.all.first { inner.remove(other) }
    return isRemoved
  }

  func removeAll() { inner.removeAll() }
  func compact() -> Int { inner.compact() }
}
