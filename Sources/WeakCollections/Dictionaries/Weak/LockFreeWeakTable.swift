// A lock-free dictionary from keys to weak references, in which a dead reference counts as none.
// Threads share only the dictionary. Every change is one compare-exchange of a key's value word. An
// operation first checks whether the object of the present word is alive:
//
//  - An insertion writes a reference where there is none, or a dead one.
//  - A removal writes `absent` where there is a reference, dead or not.
//  - A sweep or a purge visits the cells and writes `absent` where it finds a dead reference.
//
// A thread checks whether an object is alive by promoting it. A dead object stays dead, so the
// result cannot become wrong between the check and the compare-exchange: if that succeeds, the word
// was still the same. A live object stays alive until the caller, which received the promoted
// reference, releases it.
//
// Invariants:
//  1. A reference is in the dictionary, or retired, or its insertion is pending. Until it is
//     reclaimed, it keeps allocated what a query reads: its object's memory or a shared `WeakWord`
//     (see `WeakSlot`). So a thread that found a reference under a pin may query it.
//  2. A reference to a live object leaves only by a removal or a replacement of its key.
//  3. The thread whose compare-exchange changed the number of entries changes `total`, after it.
//
// Linearization:
//  - An operation that inserts, replaces or removes: its compare-exchange.
//  - An operation that finds an object: its load of the word. The object was alive then, because it
//    was promoted afterwards.
//  - An operation that finds nothing: its load of the word, or the moment when the object of the
//    word died, if that is later.
//
// So all threads that hold an object for a key at the same time hold the same one: another one is
// inserted only when the present one is dead, and no thread holds a dead object.
//
// How long a dead entry remains. Each write checks eight cells, beginning where the previous write
// stopped, or up to 64 if there are more than eight cells for each entry. With at most 64 cells for
// each entry, a dead entry is therefore found within as many writes as there are entries, plus one.
// When the number of entries has reached twice the live ones plus 64, a write purges all dead ones
// before it inserts.
//
// Progress: lock-free, as the dictionary is without `update`.

import EpochReclamation
import Primitives
import WeakReferences

/// Weak references by key that threads share: the implementation of the lock-free weak set and the
/// lock-free interner.
struct LockFreeWeakTable<Key: Hashable, Object>: ~Copyable {
  typealias Values = LockFreeDictionary<Key, WeakReference<Object>>

  let values: Values
  // Readers keep the field above cached while others write.
  private let padding = CacheLinePadding()
  /// The number of entries, including dead ones. Updated after the dictionary, not together with
  /// it.
  private let total = Atomic<Int>(0)
  /// The number of entries from which on an insertion purges first.
  private let limit = Atomic<Int>(Self.slack)
  /// The cell where the next sweep begins, modulo the number of cells.
  private let cursor = Atomic<Int>(0)

  private static var slack: Int { 64 }

  init(domain: EpochDomain) {
    ReferenceLayout.require(Object.self)
    // Addresses differ from run to run. Under a managed scheduler their upper bits must not matter,
    // or no schedule could be replayed.
    let seeds = ManagedScheduler.isCompiledIn ? HashSeeds(addend: 0, factor: 1) : .random()
    values = Values(domain: domain, leastCapacity: 8, seeds: seeds)
  }

  /// The number of entries, including dead ones.
  var count: Int {
    // Relaxed: exact while no thread writes, which some other synchronization must guarantee.
    max(0, total.load(ordering: .relaxed))
  }

  /// Returns the live object for `key`.
  func object(for key: Key) -> Object? {
    values.domain.pin { Values.promote(values.word(for: key, Values.Hashed(key))) }
  }

  /// Sets the object for `key` unless there is a live one.
  ///
  /// - Returns: The live object that was present, and the number of entries afterwards.
  func insert(_ object: Object, for key: Key) -> (present: Object?, count: Int) {
    sweep()
    purgeIfFull()
    var seen = Sightings<Object>()  // Declared outside the pin, so that it is released there.
    // Created on demand: a key with a live object needs none.
    var new: ValueWord?
    let old = values.change(key, Values.Hashed(key)) { word in
      seen.look(at: word, in: Values.self)
      guard seen.present == nil else { return nil }
      if new == nil { new = Values.Coding.encode(WeakReference(object)) }
      return new
    }
    if seen.present == nil { retire(old) }
    if let present = seen.present {
      if let new { Values.Coding.destroy(new) }
      return (present, count)
    }
    return (nil, old == .absent ? noteChange(1) : count)
  }

  /// Sets the object for `key`; returns the live object that it had if `promotesOld`.
  @discardableResult
  func replace(_ key: Key, with object: Object, promotesOld: Bool) -> Object? {
    sweep()
    purgeIfFull()
    var seen = Sightings<Object>()  // Declared outside the pin, so that it is released there.
    let new = Values.Coding.encode(WeakReference(object))
    let old = values.change(key, Values.Hashed(key)) { word in
      if promotesOld { seen.look(at: word, in: Values.self) }
      return new
    }
    retire(old)
    if old == .absent { noteChange(1) }
    return seen.present
  }

  /// Removes `key`; returns the live object that it had.
  func remove(_ key: Key) -> Object? {
    sweep()
    var seen = Sightings<Object>()  // Declared outside the pin, so that it is released there.
    let old = values.change(key, Values.Hashed(key)) { word in
      seen.look(at: word, in: Values.self)
      return word == .absent ? nil : .absent
    }
    retire(old)
    if old != .absent { noteChange(-1) }
    return seen.present
  }

  /// Removes `key` if its object is dead; returns whether it did. The caller must be pinned.
  private func removeDead(_ key: Key, promoted: inout PromotedObjects) -> Bool {
    var isDead = false
    let old = values.change(key, Values.Hashed(key)) { word in
      isDead = Values.isDead(word, promoted: &promoted)
      return isDead ? .absent : nil
    }
    if isDead {
      retire(old)
      noteChange(-1)
    }
    return isDead
  }

  /// Removes all dead entries if the number of entries has reached twice the live ones of the last
  /// purge, plus 64.
  private func purgeIfFull() {
    // Relaxed, here and below: a purge may come a little earlier or later.
    let limit = limit.load(ordering: .relaxed)
    guard count >= limit else { return }
    purge()
    // Not a store: the limit of a thread that was suspended here would be outdated.
    _ = self.limit.compareExchange(
      expected: limit, desired: 2 * count + Self.slack, ordering: .relaxed)
  }

  /// Retires `word`, which was removed.
  private func retire(_ word: ValueWord) {
    Values.Coding.retire(word, in: values.domain)
  }

  @discardableResult
  private func noteChange(_ change: Int) -> Int {
    // Relaxed: the counter publishes no other memory. A single read-modify-write operation, so that
    // no two insertions get the same number.
    return max(0, total.wrappingAdd(change, ordering: .relaxed).newValue)
  }
}

/// The objects that a change saw for its key. They may be last references, and must be released
/// outside the pin.
private struct Sightings<Object> {
  /// The live object of the most recent word.
  private(set) var present: Object?
  private var earlier: [Object] = []

  mutating func look<Key>(
    at word: ValueWord, in values: LockFreeDictionary<Key, WeakReference<Object>>.Type
  ) {
    if let present { earlier.append(present) }
    present = values.promote(word)
  }
}

// MARK: - Sweeping

extension LockFreeWeakTable {
  /// Checks the next few cells and removes dead entries. Called once for each write.
  private func sweep() {
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
    values.domain.pin {
      let table = values.current
      _ = sweep(sweepLength(of: table), of: table, promoted: &promoted)
    }
  }

  /// Checks the next `length` cells, which no other thread checks in this pass; returns the number
  /// of removed entries.
  private func sweep(
    _ length: Int, of table: Values.Table, promoted: inout PromotedObjects
  ) -> Int {
    // Relaxed: the counter divides the cells among the threads and publishes no other memory.
    let start = cursor.wrappingAdd(length, ordering: .relaxed).oldValue
    var index = Int(bitPattern: UInt(bitPattern: start) % UInt(bitPattern: table.capacity))
    var removed = 0
    for _ in 0..<length {
      if removeDead(at: index, of: table, promoted: &promoted) { removed += 1 }
      index += 1
      guard index == table.capacity else { continue }
      // The cell of the zero key may follow the last one.
      if table.cellCount > index, removeDead(at: index, of: table, promoted: &promoted) {
        removed += 1
      }
      index = 0
    }
    return removed
  }

  /// Removes dead entries until at least `goal` are removed or as many cells are checked as there
  /// are; returns the number of removed entries.
  ///
  /// Continues where the last sweep of any thread stopped, and claims cells in batches. It checks
  /// all cells of a batch, so that no entry remains longer because of it.
  func removeDead(atLeast goal: Int) -> Int {
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
    return values.domain.pin {
      let table = values.finishMigrations()
      let length = min(table.capacity, 32)
      var removed = 0
      var left = table.capacity
      while removed < goal, left > 0 {
        removed += sweep(length, of: table, promoted: &promoted)
        left -= length
      }
      return removed
    }
  }

  /// The number of objects that were alive at one moment of the call, without promoting them if
  /// weak slots allow that.
  ///
  /// Each object is checked twice, the second time after all have been checked once. The objects
  /// still alive in the second pass were all alive at the moment between the passes. An object that
  /// is removed by its key during the call may be counted. One pass would not be enough: an object
  /// may die after it was counted, and another object that is inserted in its place may also be
  /// counted.
  var liveCount: Int {
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
    return values.domain.pin {
      let table = values.finishMigrations()
      // The pin keeps the references valid, including those that are removed during the call.
      let found = (0..<table.cellCount).compactMap { index -> ValueWord? in
        guard let (_, word) = values.word(at: index, of: table),
          Values.isAlive(word, promoted: &promoted)
        else { return nil }
        return word
      }
      return found.count { Values.isAlive($0, promoted: &promoted) }
    }
  }

  /// Returns the number of cells to check for one write, so that a pass takes as many writes as
  /// there are entries: eight, or more if most entries have left and the table has not shrunk yet.
  private func sweepLength(of table: Values.Table) -> Int {
    table.capacity <= 8 * (count + 1) ? 8 : min(table.capacity, 64)
  }

  /// Removes all dead entries; returns the number of removed entries.
  @discardableResult
  func purge() -> Int {
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
    return values.domain.pin {
      let table = values.finishMigrations()
      return (0..<table.cellCount).count { removeDead(at: $0, of: table, promoted: &promoted) }
    }
  }

  /// The live objects with their keys. Each key appears at most once, as of its own moment.
  var all: [(key: Key, object: Object)] {
    var pairs: [(key: Key, object: Object)] = []
    values.domain.pin {
      let table = values.finishMigrations()
      for index in 0..<table.cellCount {
        guard let (key, word) = values.word(at: index, of: table),
          let object = Values.promote(word)
        else { continue }
        pairs.append((key, object))
      }
    }
    if KeyCoding<Key>.fitsWord { return pairs }
    // A key in a node gets another cell if it is removed and inserted again during the call.
    var found: Set<Key> = []
    return pairs.filter { found.insert($0.key).inserted }
  }

  /// Removes the keys one by one. Keys that are inserted during the call may remain.
  func removeAll() {
    var keys: [Key] = []  // Declared outside the pin, so that it is released there.
    values.domain.pin {
      let table = values.finishMigrations()
      for index in 0..<table.cellCount {
        if let (key, _) = values.word(at: index, of: table) { keys.append(key) }
      }
    }
    for key in keys { _ = remove(key) }
  }

  /// Removes `word`, whose object is dead, if it is still in the cell; returns whether it was.
  private func removeFound(_ word: ValueWord, at index: Int, of table: Values.Table) -> Bool {
    // The same word is the same reference, which is still dead: a retired reference does not return
    // to a cell while this thread is pinned.
    guard values.remove(word, at: index, of: table) else { return false }
    retire(word)
    noteChange(-1)
    return true
  }

  /// Removes the entry in a cell if its object is dead; returns whether it did.
  private func removeDead(
    at index: Int, of table: Values.Table, promoted: inout PromotedObjects
  ) -> Bool {
    // An entry that is being migrated is found in the next table.
    guard let (key, word) = values.word(at: index, of: table),
      Values.isDead(word, promoted: &promoted)
    else { return false }
    // In its cell; or by its key, if the entry was migrated to the next table or replaced.
    return removeFound(word, at: index, of: table) || removeDead(key, promoted: &promoted)
  }
}

// MARK: - The dictionary's words

// Queries of the weak reference of a value word. The caller must be pinned.
extension LockFreeDictionary {
  /// Returns the object of the reference, retained by the result, which the caller releases outside
  /// the pin; nil if there is no reference, or once the object's `deinit` has begun.
  static func promote<Object>(_ word: ValueWord) -> Object? where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.promote(at: $0) }
    } ?? nil
  }

  /// Returns whether there is a reference whose object is dead.
  static func isDead<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.isDead(at: $0, promoted: &promoted) }
    } ?? false
  }

  /// Returns whether there is a reference whose object is alive.
  static func isAlive<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) {
        !WeakReference<Object>.isDead(at: $0, promoted: &promoted)
      }
    } ?? false
  }

  /// Removes the value `word` if it is still in its cell; returns whether it was.
  ///
  /// The caller found `word` while it visited the cells of `table`, and has been pinned since
  /// `table` was the current one. In a table that is not current yet, a removal would be unsafe:
  /// the key's cell in the table before it may still be frozen, and readers would find the value
  /// there.
  ///
  /// Changes no frozen word, because it belongs in the next table, and no word at all once there is
  /// a next table. The caller then removes by the key, and so migrates a chunk. Otherwise sweeps
  /// could empty the table, but nothing would end its migration. If another thread appends the next
  /// table after the check, the compare-exchange is still sound: `tryChange` also changes a value
  /// that it finds in a table that has just got a next table.
  func remove(_ word: ValueWord, at index: Int, of table: Table) -> Bool {
    guard table.next == nil, word.isInline || word.isBoxed else { return false }
    return replaceWord(word, with: .absent, in: table.cell(at: index), of: table)
  }
}
