import WeakCollections

/// A dictionary under test, whose keys and values are made from numbers.
///
/// Each thread of a check has its own copy, which records the operation that the thread performs.
struct NumberedDictionary<Base: ConcurrentDictionary & Sendable>: Sendable
where Base.Key: ContractItem, Base.Value: ContractItem {
  let base: Base
  private let run: ContractRun
  private let countsKeys: Bool
  private let countsValues: Bool
  private let keysCollide: Bool
  private let note: OperationNote

  init(_ base: Base, _ run: ContractRun, keysCollide: Bool = false) {
    self.base = base
    self.run = run
    self.keysCollide = keysCollide
    countsKeys = Base.Key.holdsObject
    countsValues = Base.Value.holdsObject
    note = run.notes[0]
  }

  private init(_ other: NumberedDictionary, note: OperationNote) {
    base = other.base
    run = other.run
    keysCollide = other.keysCollide
    countsKeys = other.countsKeys
    countsValues = other.countsValues
    self.note = note
  }

  /// Returns the same dictionary, for a racing thread.
  func used(by thread: Int) -> NumberedDictionary {
    NumberedDictionary(self, note: run.notes[thread + 1])
  }

  func key(_ number: Int) -> Base.Key {
    if keysCollide { return .collidingItem(number) }
    if !countsKeys { return .contractItem(number) }
    return .contractItem(holding: CountedObject(number, in: run.keyLifetimes))
  }

  func value(_ number: Int) -> Base.Value {
    countsValues ? .contractItem(holding: run.object(number)) : .contractItem(number)
  }

  // MARK: - Operations

  subscript(_ number: Int) -> Int? {
    get async {
      let outer = note.begin("value(forKey:)", number)
      defer { note.end(outer) }
      return await base.value(forKey: key(number))?.contractNumber
    }
  }

  func values(for numbers: [Int]) async -> [Int?] {
    let outer = note.begin("values(forKeys:)")
    defer { note.end(outer) }
    return await base.values(forKeys: numbers.map(key)).map { $0?.contractNumber }
  }

  func withValue<R: Sendable, F: Error>(
    for number: Int, _ body: @Sendable (Int) throws(F) -> R
  ) async throws(F) -> R? {
    let outer = note.begin("withValue(forKey:_:)", number)
    defer { note.end(outer) }
    return try await base.withValue(forKey: key(number)) { value throws(F) in
      try body(value.contractNumber)
    }
  }

  func set(_ number: Int, to newValue: Int) async {
    let outer = note.begin("setValue(_:forKey:)", number)
    defer { note.end(outer) }
    await base.setValue(value(newValue), forKey: key(number))
  }

  func replace(_ number: Int, with newValue: Int) async -> Int? {
    let outer = note.begin("updateValue(_:forKey:)", number)
    defer { note.end(outer) }
    return await base.updateValue(value(newValue), forKey: key(number))?.contractNumber
  }

  @discardableResult
  func remove(_ number: Int) async -> Int? {
    let outer = note.begin("removeValue(forKey:)", number)
    defer { note.end(outer) }
    return await base.removeValue(forKey: key(number))?.contractNumber
  }

  func getOrInsert<F: Error>(
    _ number: Int, _ makeValue: @Sendable () throws(F) -> Int
  ) async throws(F) -> Int {
    let outer = note.begin("value(forKey:orInsert:)", number)
    defer { note.end(outer) }
    return try await base.value(forKey: key(number)) { () throws(F) in
      value(try makeValue())
    }.contractNumber
  }

  @discardableResult
  func update<R: Sendable, F: Error>(
    _ number: Int, _ body: @Sendable (inout Int?) throws(F) -> R
  ) async throws(F) -> R {
    let outer = note.begin("update(_:_:)", number)
    defer { note.end(outer) }
    return try await base.update(key(number)) { stored throws(F) in
      let old = stored?.contractNumber
      var new = old
      // A body that throws changes the value too: the dictionary must restore it.
      defer { if new != old { stored = new.map(value) } }
      return try body(&new)
    }
  }

  var count: Int {
    get async {
      let outer = note.begin("count")
      defer { note.end(outer) }
      return await base.count
    }
  }

  var isEmpty: Bool {
    get async {
      let outer = note.begin("isEmpty")
      defer { note.end(outer) }
      return await base.isEmpty
    }
  }

  func contains(_ number: Int) async -> Bool {
    let outer = note.begin("contains(key:)", number)
    defer { note.end(outer) }
    return await base.contains(key: key(number))
  }

  /// The numbers of the keys, in ascending order.
  var keys: [Int] {
    get async {
      let outer = note.begin("keys")
      defer { note.end(outer) }
      return await base.keys.map(\.contractNumber).sorted()
    }
  }

  @discardableResult
  func removeAll<F: Error>(
    where shouldRemove: @Sendable (Int, Int) throws(F) -> Bool
  ) async throws(F) -> Int {
    let outer = note.begin("removeAll(where:)")
    defer { note.end(outer) }
    return try await base.removeAll { key, value throws(F) in
      try shouldRemove(key.contractNumber, value.contractNumber)
    }
  }

  var snapshot: [Int: Int] {
    get async {
      let outer = note.begin("snapshot")
      defer { note.end(outer) }
      var numbers: [Int: Int] = [:]
      for (key, value) in await base.snapshot { numbers[key.contractNumber] = value.contractNumber }
      return numbers
    }
  }

  func forEach<F: Error>(_ body: (Int, Int) throws(F) -> Void) async throws(F) {
    let outer = note.begin("forEach(_:)")
    defer { note.end(outer) }
    try await base.forEach { key, value throws(F) in
      try body(key.contractNumber, value.contractNumber)
    }
  }

  func removeAll() async {
    let outer = note.begin("removeAll()")
    defer { note.end(outer) }
    await base.removeAll()
  }
}
