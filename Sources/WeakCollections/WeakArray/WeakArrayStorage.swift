/// Weak references in the order of their appending: the sequential heart of the backends that lock.
///
/// Compacting promotes what it keeps. A promoted reference may be the last one by the time it is let go,
/// and its release then runs a `deinit`; so such references go to `promoted`, which the caller lets go
/// outside its lock.
///
/// Invariant: at most 2 × live + 64 entries, with live counted at the last compaction.
public struct WeakArrayStorage<Element> {
  private var references: [WeakReference<Element>] = []
  /// Reaching it makes the next append compact first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }

  init() {}

  init(_ elements: [Element]) {
    references = elements.map(WeakReference.init)
    entryLimit = Self.limit(forLive: references.count)
  }

  /// The number of entries, unnoticed dead ones included.
  var entryCount: Int { references.count }

  /// Adds an entry behind all others; returns the number of entries after it.
  mutating func append(_ element: Element, promoted: inout [Element]) -> Int {
    if references.count >= entryLimit { compact(promoted: &promoted) }
    references.append(WeakReference(element))
    checkInvariants()
    return references.count
  }

  /// The live elements in order.
  func promoteAll() -> [Element] {
    references.withUnsafeBufferPointer { references in
      var elements: [Element] = []
      elements.reserveCapacity(references.count)
      for index in references.indices {
        if let element = WeakReference<Element>.promote(at: references.baseAddress! + index) {
          elements.append(element)
        }
      }
      return elements
    }
  }

  func contains(_ element: Element) -> Bool {
    firstIndex(of: element) != nil
  }

  /// Removes the earliest entry of the identical object; returns whether there was one.
  mutating func remove(_ element: Element) -> Bool {
    guard let index = firstIndex(of: element) else { return false }
    references.remove(at: index)
    return true
  }

  /// Removes the entries whose object is gone; returns how many.
  @discardableResult
  mutating func compact(promoted: inout [Element]) -> Int {
    let live = references.withUnsafeBufferPointer { references in
      references.indices.filter { index in
        guard let element = WeakReference<Element>.promote(at: references.baseAddress! + index)
        else {
          return false
        }
        promoted.append(element)
        return true
      }
    }
    let deadCount = references.count - live.count
    if deadCount > 0 { references = live.map { references[$0] } }
    entryLimit = Self.limit(forLive: live.count)
    checkInvariants()
    return deadCount
  }

  private func firstIndex(of element: Element) -> Int? {
    let identity = ObjectIdentity(of: element)
    return references.withUnsafeBufferPointer { references in
      references.indices.first {
        WeakReference<Element>.refers(at: references.baseAddress! + $0, to: identity)
      }
    }
  }

  private static func limit(forLive live: Int) -> Int { 2 * live + slack }
}

extension WeakArrayStorage: Sendable where Element: Sendable {}
