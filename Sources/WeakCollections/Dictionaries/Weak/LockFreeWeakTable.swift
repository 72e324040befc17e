import EpochReclamation
import Primitives
import WeakReferences

// A lock-free dictionary from keys to weak references, in which a dead reference is as good as none. What
// threads share is the dictionary; every change is one exchange of a key's word there, which `change`
// makes after it has asked whether the object of the present word lives:
//
//  - to insert is to put a reference where there is none, or a dead one;
//  - to remove is to put `absent` where there is a reference, dead or not;
//  - to sweep or purge is to put `absent` where there is a dead one, found by walking over the cells.
//
// Whether an object lives is asked by promoting it. Being dead is for ever, so that between the question
// and the exchange nothing can become true again: if the exchange succeeds, the word was still that one.
// A living object stays alive until the caller, who got it promoted, lets go.
//
// Invariants:
//  1. A reference is in the dictionary, or retired, or its insertion is pending. It holds its object's
//     memory until it is reclaimed, or stands in a box; so whoever found it under a pin may ask it.
//  2. A reference to a living object leaves by a removal or a replacement by name alone.
//  3. `total` is changed by whoever's exchange changed the number of entries, once it has.
//
// Linearization. What inserts, replaces or removes: its exchange. What finds an object: the load of its
// word; the object lived then, as it was promoted after that. What finds nothing: the load of the word,
// or the moment when the object of the word died, if that is later. So all who hold an object for a key at
// once hold the same: another is put there only when the one there was dead, which nobody holds.
//
// Maximum life of a dead entry. Each write looks at eight cells, where the one before has stopped, or at 64
// if there are more than eight for an entry. So, with at most 64, a dead one is met within as many writes as
// there are entries, and one. When entries have reached twice the living and 64, a write purges all dead
// ones before it inserts.
//
// Progress: lock-free, as the dictionary is without `update`.

/// Weak references by key that threads share: what the lock-free weak set and interner are made of.
struct LockFreeWeakTable<Key: Hashable, Object>: ~Copyable {
  typealias Values = LockFreeDictionary<Key, WeakReference<Object>>

  let values: Values
  /// The number of entries, the dead included; keeps up with the dictionary, but is not changed with it.
  private let total = Atomic<Int>(0)
  /// Reaching it makes the next insertion purge first.
  private let limit = Atomic<Int>(Self.slack)
  /// Where the next sweep begins, modulo the number of cells.
  let cursor = Atomic<Int>(0)

  private static var slack: Int { 64 }

  init(domain: EpochDomain) {
    ReferenceLayout.require(Object.self)
    #if Interleaving
      // Addresses differ from run to run. So their upper bits must not matter, or no schedule could be
      // replayed.
      let seeds = HashSeeds(addend: 0, factor: 1)
    #else
      let seeds = HashSeeds.random()
    #endif
    values = Values(domain: domain, leastCapacity: 8, seeds: seeds)
  }

  /// The number of entries, the dead included.
  var count: Int {
    // Relaxed: exact when nobody writes, which some other order must have established.
    max(0, total.load(ordering: .relaxed))
  }

  /// The living object for `key`.
  func object(for key: Key) -> Object? {
    values.domain.pin { Values.promote(values.word(for: key, Values.Print(key))) }
  }

  /// Makes `object` the one for `key` unless a living one is there, which is then returned; with the number
  /// of entries after it.
  func insert(_ object: Object, for key: Key) -> (present: Object?, count: Int) {
    sweep()
    purgeIfFull()
    var seen = Sightings<Object>()  // Outlives the pin.
    // Made when it is needed: most insertions are of what is new, or of what is there.
    var new: ValueWord?
    let old = values.change(key, Values.Print(key)) { word in
      seen.look(at: word, in: Values.self)
      if Defect.deadEntryKept.isPlanted && word != .absent { return nil }
      guard seen.present == nil || Defect.weakEntryOverwritten.isPlanted else { return nil }
      if new == nil { new = Values.Coding.encode(WeakReference(object)) }
      return new
    } finish: { old in
      if seen.present == nil { retire(old) }
      return old
    }
    if let present = seen.present, !Defect.weakEntryOverwritten.isPlanted {
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

  /// Removes `key`; returns the living object that it had.
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
    if old != .absent && !Defect.weakRemovalNotCounted.isPlanted { noteChange(-1) }
    return seen.present
  }

  /// Removes `key` if its object is dead; whether it did. For use under a pin.
  func removeDead(_ key: Key, promoted: inout PromotedObjects) -> Bool {
    var isDead = false
    values.change(key, Values.Print(key)) { word in
      isDead =
        Defect.sweptUnasked.isPlanted && word != .absent
        || Values.isDead(word, promoted: &promoted)
      return isDead ? .absent : nil
    } finish: { old in
      if isDead { retire(old) }
    }
    if isDead { noteChange(-1) }
    return isDead
  }

  /// Removes all dead entries once entries have reached twice the living of the last time, and 64.
  private func purgeIfFull() {
    // Relaxed, here and below: a purge a little earlier or later.
    guard count >= limit.load(ordering: .relaxed) else { return }
    purge()
    limit.store(2 * count + Self.slack, ordering: .relaxed)
  }

  /// To be called under the pin under which `word` left.
  func retire(_ word: ValueWord) {
    if Defect.weakEntryFreedAtOnce.isPlanted { return Values.Coding.destroy(word) }
    Values.Coding.retire(word, in: values.domain)
  }

  @discardableResult
  func noteChange(_ change: Int) -> Int {
    if Defect.weakNumberRepeated.isPlanted {
      total.wrappingAdd(change, ordering: .relaxed)
      return count
    }
    // Relaxed: a count, through which nothing else is read. One operation, so that no two insertions get
    // the same number.
    return max(0, total.wrappingAdd(change, ordering: .relaxed).newValue)
  }
}

/// What a change saw of its key. It may hold last references, and is to be let go outside the pin.
struct Sightings<Object> {
  /// The living object of the word that was looked at last.
  private(set) var present: Object?
  private var earlier: [Object] = []

  mutating func look<Key>(
    at word: ValueWord, in values: LockFreeDictionary<Key, WeakReference<Object>>.Type
  ) {
    if let present { earlier.append(present) }
    present = values.promote(word)
  }
}

extension LockFreeWeakTable {
  /// Looks at the next few cells and removes dead entries; to be called once for each write.
  func sweep() {
    var promoted = PromotedObjects()  // Outlives the pin.
    values.domain.pin {
      let table = values.current
      _ = sweep(sweepLength(of: table), of: table, promoted: &promoted)
    }
  }

  /// Looks at the next `length` cells, which nobody else does in this pass; returns how many dead entries it
  /// removed.
  private func sweep(
    _ length: Int, of table: Values.Table, promoted: inout PromotedObjects
  ) -> Int {
    // Relaxed: where nobody else looks at the same time; nothing is read through it.
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

  /// Removes dead entries until `goal` are, or as many cells were looked at as there are; returns how many.
  ///
  /// Goes on where the last sweep has stopped, whoever made it, and takes cells by the piece: all of a piece
  /// are looked at, so that no entry lives longer for it.
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

  /// How many objects lived at one moment of the call, asked without promoting them where slots allow.
  ///
  /// Each is asked twice, the second time when all were asked once. Who still lives then, lived at the moment
  /// between, beside all others of whom that is so. What is removed by its key during the call may be counted.
  /// Of one walk alone that is not so: an object may die
  /// when it was counted, and one that comes for it be counted too.
  var liveCount: Int {
    var promoted = PromotedObjects()  // Outlives the pin.
    return values.domain.pin {
      values.finishMoves()
      let table = values.current
      // Under the pin the references stay, also those that leave meanwhile.
      let found = (0..<table.cellCount).compactMap { index -> ValueWord? in
        guard let (_, word) = values.word(at: index, of: table),
          Values.isAlive(word, promoted: &promoted)
        else { return nil }
        return word
      }
      return found.count { Values.isAlive($0, promoted: &promoted) }
    }
  }

  /// As many cells as a pass may take, which are as many writes as there are entries: eight, but where most
  /// entries have left and the table has not shrunk yet.
  private func sweepLength(of table: Values.Table) -> Int {
    table.capacity <= 8 * (count + 1) ? 8 : min(table.capacity, 64)
  }

  /// Removes all dead entries; returns how many.
  @discardableResult
  func purge() -> Int {
    var promoted = PromotedObjects()  // Outlives the pin.
    return values.domain.pin {
      values.finishMoves()
      let table = values.current
      return (0..<table.cellCount).count { removeDead(at: $0, of: table, promoted: &promoted) }
    }
  }

  /// The living objects with their keys: each key at most once, as of a moment of its own.
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

  /// Removes `word`, which is dead, if it stands in that cell still; whether it did.
  private func removeFound(_ word: ValueWord, at index: Int, of table: Values.Table) -> Bool {
    if Defect.sweptUnasked.isPlanted { return false }
    // The same word is the same reference: one that was retired comes into no cell again while we are pinned. So
    // it is dead still.
    guard values.remove(word, at: index, of: table) else { return false }
    retire(word)
    noteChange(-1)
    return true
  }

  /// Removes the entry in a cell if its object is dead; whether it did.
  private func removeDead(
    at index: Int, of table: Values.Table, promoted: inout PromotedObjects
  ) -> Bool {
    // What is being moved is met in the next table.
    guard let (key, word) = values.word(at: index, of: table),
      Values.isDead(word, promoted: &promoted)
    else { return false }
    // In its cell; by its key if it left that for the next table, or another word came.
    let isOurs = removeFound(word, at: index, of: table) || removeDead(key, promoted: &promoted)
    return isOurs || Defect.purgeCountsOthers.isPlanted
  }
}

// Questions to the weak reference that a word stands for; for use under a pin.
extension LockFreeDictionary {
  /// The object of the reference, kept alive by the result; nil without one, or once its `deinit` has
  /// begun. The caller lets go of it outside the pin.
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

  /// Whether there is a reference whose object lives.
  static func isAlive<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) {
        !WeakReference<Object>.isDead(at: $0, promoted: &promoted)
      }
    } ?? false
  }
}
