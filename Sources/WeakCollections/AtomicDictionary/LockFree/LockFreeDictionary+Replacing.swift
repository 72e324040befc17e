import Primitives

extension LockFreeDictionary {
  /// Sees to it that `table`, all of whose cells are taken, has a next one.
  func makeRoom(in table: Table) {
    guard table.next == nil else { return }
    let first = current
    if first == table {
      appendTable(to: table, seeds: table.head.pointee.seeds)
    } else {
      // Not before the table in front of it is gone: a mover that was stopped would otherwise have more
      // and more tables behind it.
      if first.next != nil { finishMove(of: first) }
    }
  }

  /// Begins to replace `table` if few of its keys have a value.
  func shrinkIfSparse(_ table: Table) {
    guard table.capacity > leastCapacity, live.total < table.capacity / 8, table == current,
      table.next == nil
    else { return }
    appendTable(to: table, seeds: table.head.pointee.seeds)
  }

  /// Begins to replace `table` if a probe in it was longer than chance explains; whether it did.
  func reseedIfLong(_ distance: Int, _ table: Table) -> Bool {
    // Keys whose own hashes are equal collide whatever the seeds.
    guard distance > table.longDistance, table.head.pointee.reseedings < 3, table == current,
      table.next == nil
    else { return false }
    appendTable(to: table, seeds: .random(), isReseeded: true)
    return true
  }

  /// Gives `table` a next one with capacity to suit the keys that have values.
  func appendTable(to table: Table, seeds: HashSeeds, isReseeded: Bool = false) {
    let capacity = capacity(forKeys: occupancy)
    let reseedings = isReseeded ? table.head.pointee.reseedings + 1 : 0
    let next = Table(capacity: capacity, seeds: seeds, reseedings: reseedings)
    if !table.append(next) {
      CurrentThread.noteFailedExchange()
      next.deallocate()
    }
  }

  /// Room for as many keys, one more, and as many again: half of it is free, and a quarter before it is
  /// full.
  private func capacity(forKeys count: Int) -> Int {
    var capacity = leastCapacity
    while capacity < 2 * (count + 1) { capacity *= 2 }
    return capacity
  }
}
