/// A weak reference as an object of its own, by the name under which it was published.
///
/// - SeeAlso: `WeakReference`, the same without an allocation.
public final class WeakObject<Element> {
  private let reference: WeakReference<Element>

  /// Refers to `value` without keeping it alive; traps where `WeakReference` does.
  public init(_ value: Element) {
    reference = WeakReference(value)
  }

  /// The object, or nil once its `deinit` has begun.
  public var value: Element? { reference.promote() }
}

extension WeakObject: Sendable where Element: Sendable {}
