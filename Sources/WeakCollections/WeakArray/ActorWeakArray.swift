import Primitives
import WeakReferences

/// The weak array as an actor: for code that suspends anyway and must never block a thread.
///
/// What an operation promotes is released in the caller's context, not in the actor's.
public actor ActorWeakArray<Element: Sendable>: ConcurrentWeakArray {
  private var storage = WeakArrayStorage<Element>()

  public init() {
    ReferenceLayout.require(Element.self)
  }

  @discardableResult
  public nonisolated func append(_ element: Element) async -> Int {
    await appendInside(element).count
  }

  public nonisolated var all: [Element] {
    get async { await promoteAll() }
  }

  public nonisolated var entryCount: Int {
    get async { await entryCountInside }
  }

  public nonisolated func contains(_ element: Element) async -> Bool {
    await containsInside(element)
  }

  @discardableResult
  public nonisolated func remove(_ element: Element) async -> Bool {
    await removeInside(element)
  }

  public nonisolated func removeAll() async {
    await removeAllInside()
  }

  @discardableResult
  public nonisolated func compact() async -> Int {
    await compactInside().count
  }

  private func appendInside(_ element: Element) -> (count: Int, promoted: PromotedObjects) {
    var promoted = PromotedObjects()
    let count = storage.append(element, promoted: &promoted)
    return (count, promoted)
  }

  private func promoteAll() -> [Element] { storage.promoteAll() }

  private var entryCountInside: Int { storage.entryCount }

  private func containsInside(_ element: Element) -> Bool { storage.contains(element) }

  private func removeInside(_ element: Element) -> Bool { storage.remove(element) }

  private func removeAllInside() { storage = WeakArrayStorage() }

  private func compactInside() -> (count: Int, promoted: PromotedObjects) {
    var promoted = PromotedObjects()
    let count = storage.compact(promoted: &promoted)
    return (count, promoted)
  }
}
