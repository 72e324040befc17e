/// The weak set as an actor: for code that suspends anyway and must never block a thread.
///
/// What an operation promotes is released in the caller's context, not in the actor's.
public actor ActorWeakSet<Element: Sendable>: ConcurrentWeakSet {
  private typealias Discarded = Discards<WeakSet<Element>.Table.Entry>

  private var elements = WeakSet<Element>()

  public init() {}

  @discardableResult
  public nonisolated func insert(_ element: Element) async -> (inserted: Bool, entries: Int) {
    await insertInside(element).result
  }

  public nonisolated func contains(_ element: Element) async -> Bool {
    await containsInside(element)
  }

  @discardableResult
  public nonisolated func remove(_ element: Element) async -> Bool {
    await removeInside(element).result
  }

  public nonisolated var all: [Element] {
    get async { await promoteAll() }
  }

  public nonisolated var entryCount: Int {
    get async { await entryCountInside }
  }

  public nonisolated func removeAll() async {
    await removeAllInside()
  }

  @discardableResult
  public nonisolated func compact() async -> Int {
    await compactInside().result
  }

  @discardableResult
  public nonisolated func compact(atLeast goal: Int) async -> Int {
    await compactInside(atLeast: goal).result
  }

  public nonisolated var count: Int {
    get async { await countInside().result }
  }

  private func insertInside(_ element: Element) -> Leaving<(inserted: Bool, entries: Int)> {
    var discards = Discarded()
    let isNew = elements.insert(element, discards: &discards).isNew
    return Leaving(result: (isNew, elements.entryCount), discards: discards)
  }

  private func containsInside(_ element: Element) -> Bool { elements.contains(element) }

  private func removeInside(_ element: Element) -> Leaving<Bool> {
    var discards = Discarded()
    return Leaving(result: elements.remove(element, discards: &discards), discards: discards)
  }

  private func promoteAll() -> [Element] { elements.all }

  private var entryCountInside: Int { elements.entryCount }

  private func removeAllInside() { elements.removeAll() }

  private func compactInside() -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.compact(discards: &discards), discards: discards)
  }

  private func compactInside(atLeast goal: Int) -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.compact(atLeast: goal, discards: &discards), discards: discards)
  }

  private func countInside() -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.count(discards: &discards), discards: discards)
  }

  /// A result, with what must be let go outside the actor.
  // @unchecked: `discards` holds elements, which may be shared, and is only ever let go.
  private struct Leaving<Result>: @unchecked Sendable {
    let result: Result
    let discards: Discarded
  }
}
