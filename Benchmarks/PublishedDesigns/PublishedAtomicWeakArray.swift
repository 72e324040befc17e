import Dispatch

/// The article's weak array behind a concurrent queue, with its defects: a pending append keeps its
/// element alive, dead entries stay for ever, and `forEach` runs its body on the queue.
public final class PublishedAtomicWeakArray<Element: AnyObject & Sendable>: @unchecked Sendable {
  // @unchecked: `objects` is touched only on `queue`, and written only by barriers.
  private let queue = DispatchQueue(label: "published-weak-array", attributes: .concurrent)
  private var objects: [PublishedWeakObject<Element>] = []

  public init() {}

  public var all: [Element] { queue.sync { objects.compactMap { $0.value } } }

  public func append(_ element: Element) {
    queue.async(flags: .barrier) { self.objects.append(PublishedWeakObject(element)) }
  }

  public func removeAll() {
    queue.async(flags: .barrier) { self.objects.removeAll() }
  }

  public func forEach(_ body: (Element) throws -> Void) rethrows {
    try queue.sync { try objects.compactMap { $0.value }.forEach(body) }
  }

  public var count: Int { all.count }

  /// The entries, dead ones included; not part of the published design.
  public var entryCount: Int { queue.sync { objects.count } }
}
