import EpochReclamation
import Primitives

extension BucketLockDictionary {
  /// How many units a writer tries to move.
  private static var chunk: Int { 16 }

  /// Moves some units of `table`, which is or was the current one; returns which is now.
  @inline(never)
  func moveSome(of table: Table) -> Table {
    let next = table.next.unsafelyUnwrapped
    let units = min(table.bucketCount, next.bucketCount)
    let chunks = (units + Self.chunk - 1) / Self.chunk
    // Relaxed: hands out numbers, through which nothing is read; again and again, since a unit may have
    // been locked.
    let number = table.moving.pointee.begun.wrappingAdd(1, ordering: .relaxed).oldValue
    let begin = number % chunks * Self.chunk
    var moved = 0
    for unit in begin..<min(begin + Self.chunk, units) where move(unit, of: table, to: next) {
      moved += 1
    }
    if moved > 0 { note(moved, of: units, table) }
    return current
  }

  private func note(_ moved: Int, of units: Int, _ table: Table) {
    // Sequentially consistent: whoever counts the last unit comes after the moves of all.
    let done = table.moving.pointee.done.wrappingAdd(moved, ordering: .sequentiallyConsistent)
    if done.newValue == units { unlink(table) }
  }

  /// Makes the table behind `table`, all of whose buckets are moved, the current one.
  private func unlink(_ table: Table) {
    let next = table.next.unsafelyUnwrapped
    // Sequentially consistent: unlinks the table, which is retired next.
    let (isOurs, _) = root.compareExchange(
      expected: table.memory, desired: next.memory, ordering: .sequentiallyConsistent)
    precondition(isOurs, "a table is unlinked once")
    if Defect.tableFreedAtOnce.isPlanted {
      table.deallocate()
    } else {
      domain.retire(table.memory, as: Table.self, byteCount: table.byteCount)
    }
    shrinkIfSparse(next)
    growIfDense(next)
  }

  /// Moves one unit; false if it is moved or being moved, or one of its buckets is locked.
  private func move(_ unit: Int, of table: Table, to next: Table) -> Bool {
    let indices = table.indices(ofUnit: unit, movedTo: next)
    guard tryLock(indices, of: table) else { return false }
    for index in indices { Self.copy(index, of: table, to: next) }
    for index in indices {
      let bucket = table.bucket(index)
      unlock(bucket, bucket.state.unlocked.moved)
    }
    return true
  }

  /// Locks the buckets of a unit, none of them moved; all or none.
  private func tryLock(_ indices: StrideTo<Int>, of table: Table) -> Bool {
    var locked = 0
    for index in indices {
      if !tryLockUnmoved(table.bucket(index)) {
        unlock(indices.prefix(locked), of: table)
        return false
      }
      locked += 1
      if Defect.unitHalfLocked.isPlanted { return true }
    }
    return true
  }

  private func tryLockUnmoved(_ bucket: Bucket) -> Bool {
    if bucket.state.isMoved { return false }
    guard let state = bucket.tryLock() else { return false }
    if state.isMoved { unlock(bucket, state) }
    return !state.isMoved
  }

  private func unlock(_ indices: some Sequence<Int>, of table: Table) {
    for index in indices {
      let bucket = table.bucket(index)
      unlock(bucket, bucket.state.unlocked)
    }
  }

  /// Puts the words of a bucket, and of those behind it, into the next table.
  private static func copy(_ index: Int, of table: Table, to next: Table) {
    var rest: Bucket? = table.bucket(index)
    while let bucket = rest {
      for slot in 0..<Bucket.slotCount {
        let word = bucket.key(slot)
        if word == 0 { continue }
        let target = next.probe(table.print(ofWord: word, in: index)).bucket
        let place = Table.freePlace(in: target)
        place.bucket.setValue(bucket.value(slot), place.slot)
        place.bucket.setKey(word, place.slot)
      }
      rest = Defect.restOfBucketLeft.isPlanted ? nil : bucket.next
    }
  }
}
