import WeakCollections

/// A weak set under test, whose elements are counted objects.
///
/// Each thread of a check has its own copy, which records the operation that the thread performs.
struct ObservedWeakSet<Base: ConcurrentWeakSet & Sendable>: Sendable {
  let base: Base
  private let run: ContractRun
  private let note: OperationNote
  private typealias Item = WeakItem<Base.Element>

  init(_ base: Base, _ run: ContractRun, thread: Int? = nil) {
    self.base = base
    self.run = run
    note = run.notes[thread.map { $0 + 1 } ?? 0]
  }

  /// Returns the same set, for a racing thread.
  func used(by thread: Int) -> ObservedWeakSet {
    ObservedWeakSet(base, run, thread: thread)
  }

  @discardableResult
  func insert(_ object: CountedObject) async -> WeakSetInsertion<CountedObject> {
    let outer = note.begin("insert(_:)", object.number)
    defer { note.end(outer) }
    let (inserted, member, entries) = await base.insert(Item.element(object))
    return (inserted, Item.object(of: member), entries)
  }

  var all: [CountedObject] {
    get async {
      let outer = note.begin("all")
      defer { note.end(outer) }
      return await base.all.map(Item.object)
    }
  }

  /// The numbers of the elements, in ascending order.
  var numbers: [Int] {
    get async { await all.map(\.number).sorted() }
  }

  var count: Int {
    get async {
      let outer = note.begin("count")
      defer { note.end(outer) }
      return await base.count
    }
  }

  var entryCount: Int {
    get async {
      let outer = note.begin("entryCount")
      defer { note.end(outer) }
      return await base.entryCount
    }
  }

  func forEach<F: Error>(_ body: (CountedObject) throws(F) -> Void) async throws(F) {
    let outer = note.begin("forEach(_:)")
    defer { note.end(outer) }
    try await base.forEach { element throws(F) in try body(Item.object(of: element)) }
  }

  func contains(_ object: CountedObject) async -> Bool {
    let outer = note.begin("contains(_:)", object.number)
    defer { note.end(outer) }
    return await base.contains(Item.element(object))
  }

  @discardableResult
  func remove(_ object: CountedObject) async -> Bool {
    let outer = note.begin("remove(_:)", object.number)
    defer { note.end(outer) }
    return await base.remove(Item.element(object))
  }

  func removeAll() async {
    let outer = note.begin("removeAll()")
    defer { note.end(outer) }
    await base.removeAll()
  }

  @discardableResult
  func compact() async -> Int {
    let outer = note.begin("compact()")
    defer { note.end(outer) }
    return await base.compact()
  }

  @discardableResult
  func compact(atLeast goal: Int) async -> Int {
    let outer = note.begin("compact(atLeast:)", goal)
    defer { note.end(outer) }
    return await base.compact(atLeast: goal)
  }
}
