// A lock-free dictionary from keys to weak references, in which a dead reference counts as none.
// Threads share only the dictionary. Every change is one compare-exchange of a key's word there.
// `change` makes it after it has checked whether the object of the present word is alive:
//
//  - An insertion puts a reference where there is none, or a dead one.
//  - A removal puts `absent` where there is a reference, dead or not.
//  - A sweep or a purge walks over the cells and puts `absent` where it finds a dead reference.
//
// A thread checks whether an object is alive by promoting it. A dead object stays dead, so the
// answer cannot become wrong between the check and the compare-exchange: if that succeeds, the word
// was still the same. A live object stays alive until the caller, which got it promoted, releases
// it.
//
// Invariants:
//  1. A reference is in the dictionary, or retired, or its insertion is pending. It holds its
//     object's memory until it is reclaimed, or is in a box; so a thread that found it under a pin
//     may query it.
//  2. A reference to a live object leaves only by a removal or a replacement of its key.
//  3. The thread whose compare-exchange changed the number of entries changes `total`, after it.
//
// Linearization:
//  - An operation that inserts, replaces or removes: its compare-exchange.
//  - One that finds an object: its load of the word. The object was alive then, as it was promoted
//    after that.
//  - One that finds nothing: its load of the word, or the moment when the object of the word died,
//    if that is later.
//
// So all threads that hold an object for a key at the same time hold the same one: another is put
// there only when the present one is dead, which no thread holds.
//
// Maximum life of a dead entry. Each write checks eight cells, beginning where the previous write
// stopped, or 64 if there are more than eight cells for an entry. So, with at most 64, a dead entry
// is found within as many writes as there are entries, plus one. When the entries have reached
// twice the live ones plus 64, a write purges all dead ones before it inserts.
//
// Progress: lock-free, as the dictionary is without `update`.

import EpochReclamation
import Primitives
import WeakReferences

/// Weak references by key, shared by threads: the implementation of the lock-free weak set and
/// interner.
struct LockFreeWeakTable<Key: Hashable, Object>: ~Copyable {
  typealias Values = LockFreeDictionary<Key, WeakReference<Object>>

  let values: Values
  /// The number of entries, including dead ones; updated after the dictionary, not together with
  /// it.
  private let total = Atomic<Int>(0)
  /// Reaching it makes the next insertion purge first.
  private let limit = Atomic<Int>(Self.slack)
  /// Where the next sweep begins, modulo the number of cells.
  private let cursor = Atomic<Int>(0)

  private static var slack: Int { 64 }

  init(domain: EpochDomain) {
    ReferenceLayout.require(Object.self)
    #if Interleaving
      // Addresses differ from run to run. Their upper bits must not matter, or no schedule could be
      // replayed.
      let seeds = HashSeeds(addend: 0, factor: 1)
    #else
      let seeds = HashSeeds.random()
    #endif
    values = Values(domain: domain, leastCapacity: 8, seeds: seeds)
  }

  /// The number of entries, including dead ones.
  var count: Int {
    // Relaxed: exact while no thread writes, which some other synchronization must have
    // established.
    max(0, total.load(ordering: .relaxed))
  }

  /// The live object for `key`.
  func object(for key: Key) -> Object? {
    values.domain.pin { Values.promote(values.word(for: key, Values.Print(key))) }
  }

  /// Makes `object` the one for `key` unless there is a live one.
  ///
  /// - Returns: The live object that was there, and the number of entries afterwards.
  func insert(_ object: Object, for key: Key) -> (present: Object?, count: Int) {
    sweep()
    purgeIfFull()
    var seen = Sightings<Object>()  // Outlives the pin.
    // Made when it is needed: it is not if the key has a live object.
    var new: ValueWord?
    let old = values.change(key, Values.Print(key)) { word in
      seen.look(at: word, in: Values.self)
      guard seen.present == nil else { return nil }
      if new == nil { new = Values.Coding.encode(WeakReference(object)) }
      return new
    } finish: { old in
      if seen.present == nil { retire(old) }
      return old
    }
    if let present = seen.present {
      if let new { Values.Coding.destroy(new) }
      return (present, count)
    }
    return (nil, old == .absent ? noteChange(1) : count)
  }

  /// Makes `object` the one for `key`.
  func replace(_ key: Key, with object: Object) {
    sweep()
    purgeIfFull()
    let new = Values.Coding.encode(WeakReference(object))
    let old = values.change(key, Values.Print(key)) { _ in
      new
    } finish: { old in
      retire(old)
      return old
    }
    if old == .absent { noteChange(1) }
  }

  /// Removes `key`; returns the live object that it had.
  func remove(_ key: Key) -> Object? {
    sweep()
    var seen = Sightings<Object>()  // Outlives the pin.
    let old = values.change(key, Values.Print(key)) { word in
      seen.look(at: word, in: Values.self)
      return word == .absent ? nil : .absent
    } finish: { old in
      retire(old)
      return old
    }
    if old != .absent { noteChange(-1) }
    return seen.present
  }

  /// Removes `key` if its object is dead; returns whether it did. The caller is pinned.
  private func removeDead(_ key: Key, promoted: inout PromotedObjects) -> Bool {
    var isDead = false
    values.change(key, Values.Print(key)) { word in
      isDead = Values.isDead(word, promoted: &promoted)
      return isDead ? .absent : nil
    } finish: { old in
      if isDead { retire(old) }
    }
    if isDead { noteChange(-1) }
    return isDead
  }

  /// Removes all dead entries once the entries have reached twice the live ones of the last time,
  /// plus 64.
  private func purgeIfFull() {
    // Relaxed, here and below: a purge a little earlier or later.
    guard count >= limit.load(ordering: .relaxed) else { return }
    purge()
    limit.store(2 * count + Self.slack, ordering: .relaxed)
  }

  /// Retires `word`. The caller has been pinned since it was taken out.
  private func retire(_ word: ValueWord) {
    Values.Coding.retire(word, in: values.domain)
  }

  @discardableResult
  private func noteChange(_ change: Int) -> Int {
    // Relaxed: a count, through which nothing else is read. One operation, so that no two
    // insertions get the same number.
    return max(0, total.wrappingAdd(change, ordering: .relaxed).newValue)
  }
}

/// The objects that a change saw for its key. It may hold last references, and must be released
/// outside the pin.
private struct Sightings<Object> {
  /// The live object of the word seen last.
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
  /// Checks the next few cells and removes dead entries; called once for each write.
  private func sweep() {
    var promoted = PromotedObjects()  // Outlives the pin.
    values.domain.pin {
      let table = values.current
      _ = sweep(sweepLength(of: table), of: table, promoted: &promoted)
    }
  }

  /// Checks the next `length` cells, which no other thread checks in this pass; returns the number
  /// of dead entries it removed.
  private func sweep(
    _ length: Int, of table: Values.Table, promoted: inout PromotedObjects
  ) -> Int {
    // Relaxed: claims cells that no other thread checks at the same time; nothing is read through
    // it.
    let start = cursor.wrappingAdd(length, ordering: .relaxed).oldValue
    var index = start & (table.capacity - 1)
    var removed = 0
    for _ in 0..<length {
      if removeDead(at: index, of: table, promoted: &promoted) { removed += 1 }
      index += 1
      guard index == table.capacity else { continue }
      // Behind the last cell may be that of the zero key.
      if table.cellCount > index, removeDead(at: index, of: table, promoted: &promoted) {
        removed += 1
      }
      index = 0
    }
    return removed
  }

  /// Removes dead entries until it has removed `goal`, or has checked as many cells as there are;
  /// returns the number removed.
  ///
  /// Goes on where the last sweep of any thread stopped, and claims cells in batches. It checks all
  /// cells of a batch, so that no entry lives longer because of it.
  func removeDead(atLeast goal: Int) -> Int {
    var promoted = PromotedObjects()  // Outlives the pin.
    return values.domain.pin {
      values.finishMoves()
      let table = values.current
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

  /// The number of objects that were alive at one moment of the call; checked without promoting
  /// them where slots allow.
  ///
  /// Each object is checked twice, the second time after all have been checked once. Those still
  /// alive then were all alive at the moment between the two walks. An object that is removed by
  /// its key during the call may be counted. One walk alone would not do: an object may die after
  /// it was counted, and another that is inserted in its place be counted too.
  var liveCount: Int {
    var promoted = PromotedObjects()  // Outlives the pin.
    return values.domain.pin {
      values.finishMoves()
      let table = values.current
      // Under the pin the references stay valid, also those that are removed meanwhile.
      let found = (0..<table.cellCount).compactMap { index -> ValueWord? in
        guard let (_, word) = values.word(at: index, of: table),
          Values.isAlive(word, promoted: &promoted)
        else { return nil }
        return word
      }
      return found.count { Values.isAlive($0, promoted: &promoted) }
    }
  }

  /// The number of cells to check for one write, so that a pass takes as many writes as there are
  /// entries: eight, or more where most entries have left and the table has not shrunk yet.
  private func sweepLength(of table: Values.Table) -> Int {
    table.capacity <= 8 * (count + 1) ? 8 : min(table.capacity, 64)
  }

  /// Removes all dead entries; returns the number removed.
  @discardableResult
  func purge() -> Int {
    var promoted = PromotedObjects()  // Outlives the pin.
    return values.domain.pin {
      values.finishMoves()
      let table = values.current
      return (0..<table.cellCount).count { removeDead(at: $0, of: table, promoted: &promoted) }
    }
  }

  /// The live objects with their keys: each key at most once, as of a moment of its own.
  var all: [(key: Key, object: Object)] {
    var pairs: [(key: Key, object: Object)] = []
    values.domain.pin {
      values.finishMoves()
      let table = values.current
      for index in 0..<table.cellCount {
        guard let (key, word) = values.word(at: index, of: table),
          let object = Values.promote(word)
        else { continue }
        pairs.append((key, object))
      }
    }
    return pairs
  }

  /// Removes the keys one by one; keys inserted meanwhile may stay.
  func removeAll() {
    var keys: [Key] = []  // Outlives the pin.
    values.domain.pin {
      values.finishMoves()
      let table = values.current
      for index in 0..<table.cellCount {
        if let (key, _) = values.word(at: index, of: table) { keys.append(key) }
      }
    }
    for key in keys { _ = remove(key) }
  }

  /// Removes `word`, whose object is dead, if it is still in that cell; returns whether it was.
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
    // In its cell; by its key if it was migrated to the next table, or replaced by another word.
    return removeFound(word, at: index, of: table) || removeDead(key, promoted: &promoted)
  }
}

// MARK: - The dictionary's words

// Queries of the weak reference that a word stands for. Their caller is pinned.
extension LockFreeDictionary {
  /// The object of the reference, kept alive by the result; nil if there is none, or once its
  /// `deinit` has begun. The caller releases it outside the pin.
  static func promote<Object>(_ word: ValueWord) -> Object? where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.promote(at: $0) }
    } ?? nil
  }

  /// Whether there is a reference whose object is dead.
  static func isDead<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.isDead(at: $0, promoted: &promoted) }
    } ?? false
  }

  /// Whether there is a reference whose object is alive.
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
  /// The caller found `word` by walking over the cells of `table`, and has been pinned since
  /// `table` was the current one. In a table that is not current yet, a removal would be unsafe:
  /// the key's cell in the table before it may still be frozen, and readers would find the value
  /// there.
  ///
  /// A frozen word is not touched: its place is the next table. Once there is a next table, no
  /// other word is touched either: the caller then removes by the key, which migrates a chunk.
  /// Otherwise a table that many removals have emptied would stay. If the next table comes after
  /// the check, the compare-exchange is as sound as that of `tryChange`, which also finds a value
  /// and then a next table.
  func remove(_ word: ValueWord, at index: Int, of table: Table) -> Bool {
    guard table.next == nil, word.isInline || word.isBoxed else { return false }
    return exchange(word, for: .absent, in: table.cells + index, of: table)
  }
}
