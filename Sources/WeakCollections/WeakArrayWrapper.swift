import Primitives
import WeakReferences

/// An array property that does not keep its elements alive.
///
/// ```swift
/// @WeakArray var delegates: [any MyDelegate] = []
/// $delegates.append(delegate)
/// ```
///
/// Reading the property makes an array of the live elements, in order, duplicates kept. Not thread-safe,
/// like any other property; `AtomicWeakArray` is.
///
/// - Complexity: reading and writing the property are O(*n*), so that `delegates.append(x)`, a read and
///   a write, rebuilds the array; `$delegates.append(x)` is O(1) amortised.
@propertyWrapper
public struct WeakArray<Element> {
  private var storage = WeakArrayStorage<Element>()

  public init() {}

  public init(wrappedValue: [Element]) {
    self.wrappedValue = wrappedValue
  }

  /// The live elements; assigning replaces all entries.
  public var wrappedValue: [Element] {
    get { storage.promoteAll() }
    set { storage = WeakArrayStorage(newValue) }
  }

  /// The wrapper itself, for what an array cannot do cheaply.
  public var projectedValue: WeakArray {
    get { self }
    _modify { yield &self }
  }

  /// Adds an element behind all others without rebuilding the array.
  ///
  /// - Complexity: O(1) amortised.
  public mutating func append(_ element: Element) {
    var promoted = PromotedObjects()
    _ = storage.append(element, promoted: &promoted)
  }

  /// Removes the entries whose object is gone; returns how many.
  @discardableResult
  public mutating func compact() -> Int {
    var promoted = PromotedObjects()
    return storage.compact(promoted: &promoted)
  }
}

extension WeakArray: Sendable where Element: Sendable {}
