import WeakCollections

/// A dictionary with weak values under test, whose keys are made from numbers and whose values are
/// counted objects.
///
/// Each thread of a check has its own copy, which records the operation that the thread performs.
struct ObservedWeakValueDictionary<Base: ConcurrentWeakValueDictionary & Sendable>: Sendable
where Base.Key: ContractItem {
  let base: Base
  private let run: ContractRun
  private let note: OperationNote
  private typealias Item = WeakItem<Base.Value>

  init(_ base: Base, _ run: ContractRun, thread: Int? = nil) {
    self.base = base
    self.run = run
    note = run.notes[thread.map { $0 + 1 } ?? 0]
  }

  /// Returns the same dictionary, for a racing thread.
  func used(by thread: Int) -> ObservedWeakValueDictionary {
    ObservedWeakValueDictionary(base, run, thread: thread)
  }

  private func key(_ number: Int) -> Base.Key { .contractItem(number) }

  subscript(_ number: Int) -> CountedObject? {
    note.during("value(forKey:)", number) { base.value(forKey: key(number)).map(Item.object) }
  }

  func getOrInsert(_ number: Int, _ makeValue: () -> CountedObject) -> CountedObject {
    note.during("value(forKey:orInsert:)", number) {
      Item.object(of: base.value(forKey: key(number), orInsert: { Item.element(makeValue()) }))
    }
  }

  func set(_ number: Int, to object: CountedObject) {
    note.during("setValue(_:forKey:)", number) {
      base.setValue(Item.element(object), forKey: key(number))
    }
  }

  func replace(_ number: Int, with object: CountedObject) -> CountedObject? {
    note.during("updateValue(_:forKey:)", number) {
      base.updateValue(Item.element(object), forKey: key(number)).map(Item.object)
    }
  }

  @discardableResult
  func remove(_ number: Int) -> CountedObject? {
    note.during("removeValue(forKey:)", number) {
      base.removeValue(forKey: key(number)).map(Item.object)
    }
  }

  func withValue<R, F: Error>(
    for number: Int, _ body: (CountedObject) throws(F) -> R
  ) throws(F) -> R? {
    try note.during("withValue(forKey:_:)", number) { () throws(F) in
      try base.withValue(forKey: key(number)) { value throws(F) in
        try body(Item.object(of: copy value))
      }
    }
  }

  /// The numbers of the keys, in ascending order.
  var keys: [Int] {
    note.during("keys") { base.keys.map(\.contractNumber).sorted() }
  }

  var count: Int { note.during("count") { base.count } }

  var isEmpty: Bool { note.during("isEmpty") { base.isEmpty } }

  func contains(_ number: Int) -> Bool {
    note.during("contains(key:)", number) { base.contains(key: key(number)) }
  }

  var entryCount: Int { note.during("entryCount") { base.entryCount } }

  func removeAll() { note.during("removeAll()") { base.removeAll() } }

  @discardableResult
  func compact() -> Int { note.during("compact()") { base.compact() } }
}
