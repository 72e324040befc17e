import EpochReclamation
import Primitives

extension LockFreeDictionary {
  /// Makes the word for `key` the one that `decide` says, again whenever that changed meanwhile.
  ///
  /// `decide` gets a value's word or `absent`, and returns such a word or a claim, or nil to leave all as
  /// it is; it may be called several times. It gets a claim only when that is `mine`: other claims are
  /// waited for. `finish` gets the word that was last decided upon, still under the pin.
  @inline(__always)
  func change<R>(
    _ key: Key, _ print: Print, mine: ValueWord = .untouched,
    _ decide: (ValueWord) -> ValueWord?, finish: (ValueWord) -> R
  ) -> R {
    while true {
      var isReplaced = false
      let result = domain.pin { tryChange(key, print, mine, decide, &isReplaced).map(finish) }
      if isReplaced { reclaimTable() }
      if let result { return result }
      let ticket = endedClaims.ticket()
      let mustWait = domain.pin { word(for: key, print).holdsClaim }
      if mustWait {
        endedClaims.wait(
          for: Defect.lostWakeUp.isPlanted ? endedClaims.ticket() : ticket)
      }
    }
  }

  /// Gives back a table that was replaced, if nobody is pinned: where keys and values need no nodes,
  /// nothing else that is retired would make the epoch advance.
  @inline(never)
  private func reclaimTable() {
    domain.advance()
  }

  /// nil when a claim must end first; sets `isReplaced` when the move of a table has ended.
  @inline(__always)
  private func tryChange(
    _ key: Key, _ print: Print, _ mine: ValueWord, _ decide: (ValueWord) -> ValueWord?,
    _ isReplaced: inout Bool
  ) -> ValueWord? {
    var table = current
    if table.next != nil {
      let first = table
      table = moveSome(of: first)
      isReplaced = table != first
    }
    while true {
      // Before the scan: with a next table nobody puts a value into a cell that the scan finds empty.
      var next = table.next
      let place = table.find(key, print)
      if Defect.scanBeforeNext.isPlanted { next = table.next }
      if !place.hasKey {
        if let next {
          table = next
        } else {
          if decide(.absent) == nil { return .absent }
          plant(key, print, in: place.cell, of: table)
        }
        continue
      }
      let cell = place.cell
      let word = cell.pointee.value
      if word.isOccupied || word == .absent {
        if word.isClaimed && word != mine && !Defect.claimIgnored.isPlanted { return nil }
        guard let new = decide(word) else { return word }
        if exchange(word, for: new, in: cell, of: table) { return word }
      } else if word == .untouched && (table.next == nil || Defect.nextOverlooked.isPlanted) {
        guard let new = decide(.absent) else { return .absent }
        if exchange(word, for: new, in: cell, of: table) { return .absent }
      } else if word == .removed {
        bury(cell)
      } else {
        move(cell, of: table)
        table = table.next.unsafelyUnwrapped
      }
    }
  }

  /// Makes the value `word` absent, if it stands in that cell still; whether it did. For use under the pin under
  /// which `table` was the current one, and `word` found by walking over its cells: in a table that is not current
  /// yet a value may be removed whose cell of the table before is frozen still, where readers would find it.
  ///
  /// What is frozen is not touched: its place is the next table. Nor is anything else once there is one: who removes
  /// then by the key moves a chunk, without which a table that many removals have emptied would stay. If the next
  /// one comes after the look, the exchange is as sound as that of `tryChange`, which finds a value and then one.
  func remove(_ word: ValueWord, at index: Int, of table: Table) -> Bool {
    guard table.next == nil, word.isInline || word.isBoxed else { return false }
    return exchange(word, for: .absent, in: table.cells + index, of: table)
  }

  /// Makes `old` what was decided upon.
  @inline(__always)
  private func exchange(
    _ old: ValueWord, for new: ValueWord, in cell: Cell.Pointer, of table: Table
  ) -> Bool {
    let isRemoval = new == .absent
    let stored = isRemoval && !KeyCoding<Key>.fitsWord ? .removed : new
    let isInPlace = old.isInline && new.isInline
    if !isInPlace { countArrival(of: new, for: old) }
    HaltPoint.betweenAtomics.reach()
    guard cell.pointee.exchangeValue(old, for: stored) else {
      CurrentThread.noteFailedExchange()
      if !isInPlace { countDeparture(of: new, for: old) }
      return false
    }
    let changed = isInPlace ? nil : countDeparture(of: old, for: new)
    if isRemoval { noteRemoval(in: cell, of: table, leaving: changed) }
    table.checkInvariants(around: cell)
    return true
  }

  @inline(never)
  private func noteRemoval(in cell: Cell.Pointer, of table: Table, leaving count: Int?) {
    if !KeyCoding<Key>.fitsWord { bury(cell) }
    // Now and then, and whatever the keys' hashes: looking at the whole count costs more than removing.
    if let count, count & 15 == 0 { shrinkIfSparse(table) }
  }

  /// Gives a key that was not found the cell where it would go, or makes room for it elsewhere.
  @inline(never)
  private func plant(
    _ key: Key, _ print: Print, in cell: Cell.Pointer, of table: Table
  ) {
    if reseedIfLong(table.distance(of: cell, print), table) { return }
    guard table.reserve() else { return makeRoom(in: table) }
    if !table.plant(key, print, in: cell) { table.unreserve() }
    HaltPoint.betweenAtomics.reach()
  }
}
