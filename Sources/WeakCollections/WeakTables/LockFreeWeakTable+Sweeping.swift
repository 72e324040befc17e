import EpochReclamation
import Primitives
import WeakReferences

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
