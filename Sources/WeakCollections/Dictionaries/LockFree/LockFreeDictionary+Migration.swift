// The replacement of a table, the migration of its cells, and iteration over all cells during a
// migration. The head of `LockFreeDictionary.swift` has the states and the invariants.

import EpochReclamation
import Primitives

extension LockFreeDictionary {
  /// Works toward a next table for `table`, all of whose cells are reserved: appends one or, if
  /// `table` is not the current table yet, first finishes the migration of the current table. The
  /// caller must look for the key again.
  func makeRoom(in table: Table) {
    guard table.next == nil else { return }
    let first = current
    if first == table {
      appendTable(to: table)
    } else {
      // No next table before `table` is current: otherwise the chain of tables could grow without
      // bound while a migrating thread is suspended.
      if first.next != nil { finishMigration(of: first) }
    }
  }

  /// Begins to replace `table` if few of its keys have a value.
  func shrinkIfSparse(_ table: Table) {
    guard table.capacity > leastCapacity, live.total < table.capacity / 8, table == current,
      table.next == nil
    else { return }
    appendTable(to: table)
  }

  /// Begins to replace `table` if the probe to `cell` was longer than chance explains; returns
  /// whether it did.
  func reseedIfLong(_ distance: Int, _ cell: Cell, _ hashed: Hashed, _ table: Table) -> Bool {
    // Keys with equal `hashValue`s collide whatever the seeds.
    guard distance > table.longDistance, !table.isNearlyFull,
      table.head.pointee.reseedings < 3, table == current, table.next == nil,
      !table.hasEqualHashes(before: cell, as: hashed)
    else { return false }
    appendTable(to: table, isReseeded: true)
    return true
  }

  /// Appends a next table to `table`, with capacity for the keys that have values.
  ///
  /// Equal seeds keep the order of the keys, so that a migration writes the next table in the order
  /// of its lines. But keys that are removed in the order of the cells, as by `removeAll`, leave
  /// others that are close together: these need other seeds to be spread.
  private func appendTable(to table: Table, isReseeded: Bool = false) {
    let count = occupancy
    let areMost = count >= table.head.pointee.limit / 4 * 3
    let capacity = capacity(forKeys: count, areMost: areMost)
    let seeds = areMost && !isReseeded ? table.head.pointee.seeds : .random()
    let reseedings = isReseeded ? table.head.pointee.reseedings + 1 : 0
    let next = Table(capacity: capacity, seeds: seeds, reseedings: reseedings)
    if !table.append(next) {
      CurrentThread.noteFailedCompareExchange()
      next.deallocate()
    }
  }

  /// Returns the capacity of a table for `count` keys and one more: a power of two or, to save
  /// memory if it is large, one and a half times that. A small table doubles, so that growing
  /// migrates each key less often.
  ///
  /// - Parameters:
  ///   - count: The number of keys that must be migrated.
  ///   - areMost: Whether these are most keys that the old table got, so that the dictionary grows.
  ///     The new table is then at most two thirds full. Otherwise keys come and go, each in a cell
  ///     of its own, and the new table is at most one third full, so that it lasts.
  private func capacity(forKeys count: Int, areMost: Bool) -> Int {
    let least = (count + 1) * (areMost ? 3 : 6) / 2
    var capacity = leastCapacity
    while capacity < least {
      let between = capacity / 2 * 3
      if between >= max(least, 1536) { return between }
      capacity *= 2
    }
    return capacity
  }

  /// An estimate of the number of values and claims that must be migrated to a next table. It is
  /// never too low because of a suspended thread; see `countArrival`.
  private var occupancy: Int {
    // Relaxed: the counter publishes no other memory.
    max(0, live.total + claimsOfAbsent.load(ordering: .relaxed))
  }
}

// MARK: - Migrating cells

extension LockFreeDictionary {
  /// The number of calls of `migrateSome`, after all chunks have been begun, before writers migrate
  /// unfinished chunks of other threads. A thread that is not suspended has usually finished its
  /// chunk by then.
  private static var writesBeforeHelping: Int { ManagedScheduler.isCompiledIn ? 1 : 1024 }

  /// Migrates at most one chunk of cells of `table`, which is or was the current table; returns the
  /// table that is current now.
  @inline(never)
  func migrateSome(of table: Table) -> Table {
    // Relaxed: the counter hands out numbers and publishes no other memory.
    let number = table.migration.pointee.begun.wrappingAdd(1, ordering: .relaxed).oldValue
    if number < table.chunkCount {
      migrateChunk(number, of: table)
    } else if number >= table.chunkCount + Self.writesBeforeHelping {
      if let unfinished = table.unfinishedChunk(from: number % table.chunkCount) {
        migrateChunk(unfinished, of: table)
      } else {
        // The thread that migrated the last chunk is suspended, or two threads did so at the same
        // time (`noteMigrated`).
        unlink(table)
      }
    }
    return current
  }

  /// Migrates the cells of a chunk. Several threads may do so at the same time.
  private func migrateChunk(_ number: Int, of table: Table) {
    let begin = number * table.chunk
    let cells = begin..<min(begin + table.chunk, table.cellCount)
    table.next.unsafelyUnwrapped.touchPages(ofCells: cells, outOf: table.capacity)
    var buffer = FreezeBuffer(capacity: table.chunk)
    for index in cells { migrate(table.cell(at: index), of: table, &buffer) }
    if table.noteMigrated(chunk: number) { unlink(table) }
  }

  /// Migrates all remaining cells of `table`, even those of chunks that other threads have begun.
  private func finishMigration(of table: Table) {
    var buffer = FreezeBuffer(capacity: table.chunk)
    for index in 0..<table.cellCount { migrate(table.cell(at: index), of: table, &buffer) }
    unlink(table)
  }

  /// Leaves the dictionary with one table, unless another replacement begins during the call.
  ///
  /// - Returns: The table that had no next table when it was current. Each key that had a value
  ///   then has a cell in it. That is not so of a table that becomes current later: it may have a
  ///   next table by then, to which keys went directly.
  @discardableResult
  func finishMigrations() -> Table {
    var table = current
    while table.next != nil {
      finishMigration(of: table)
      table = current
    }
    return table
  }

  /// Replaces the root with the next table of `table`, all of whose cells are migrated.
  private func unlink(_ table: Table) {
    // Sequentially consistent: unlinks the table, which is then retired.
    let (isOurs, _) = root.compareExchange(
      expected: table.memory, desired: table.next.unsafelyUnwrapped.memory,
      ordering: .sequentiallyConsistent)
    guard isOurs else { return }
    if KeyCoding<Key>.isInert {
      domain.retire(table.memory, as: Table.self, byteCount: table.byteCount)
    } else {
      domain.release(table.memory, as: Table.self)
    }
  }

  /// Migrates the cell of a key. Returns false if the key was removed from it: the key may have
  /// another cell in the same table.
  func migrate(_ cell: Cell, of table: Table) -> Bool {
    var buffer = FreezeBuffer(capacity: 1)
    migrate(cell, of: table, &buffer)
    return cell.value != .removed
  }

  /// Migrates one cell to the next table. Afterwards it is `migrated` or `removed`, or has never
  /// had a key.
  private func migrate(_ cell: Cell, of table: Table, _ buffer: inout FreezeBuffer) {
    // An empty cell stays without a value (invariant 2). The cell of the zero key is never empty.
    if cell.key == 0 && !table.isZeroKeyCell(cell) { return }
    while true {
      let word = cell.value
      switch word.kind {
      case .migrated, .removed: return
      case .untouched, .absent:
        if cell.replaceValue(word, with: .migrated) { return }
      case .frozen: return copyForward(word, of: cell, table)
      case .inline, .boxed, .claimed:
        let frozen = buffer.frozen(word, in: table)
        if cell.replaceValue(word, with: frozen) {
          buffer.take()
          return copyForward(frozen, of: cell, table)
        }
      }
    }
  }

  /// Writes the value word of a frozen cell to the tables behind, and marks the cell `migrated`.
  private func copyForward(_ frozen: ValueWord, of cell: Cell, _ table: Table) {
    let word = cell.key
    let key = KeyCoding<Key>.key(word)
    let hashed = Hashed(ofWord: word)
    var target = table.next.unsafelyUnwrapped
    while true {
      // Before the scan, as in `tryChange`.
      let next = target.next
      let place = target.find(key, hashed)
      if !place.hasKey {
        if let next {
          target = next
          continue
        }
        guard claimForCopy(place.cell, for: key, hashed, of: target) else { continue }
      }
      // After the scan or the claim: the head of `LockFreeDictionary.swift` has the argument.
      if cell.value != frozen { return }
      guard let other = copyForward(frozen.frozenWord, in: place.cell, of: target) else { break }
      target = other
    }
    // If this fails, another thread has marked the cell.
    _ = cell.replaceValue(frozen, with: .migrated)
  }

  /// Tries to claim the empty cell where the probe for `key` ended, and appends a next table to
  /// `target` if it is full; returns whether this thread claimed the cell.
  private func claimForCopy(
    _ cell: Cell, for key: Key, _ hashed: Hashed, of target: Table
  ) -> Bool {
    guard target.reserve() else {
      // Unlike `makeRoom`, even if `target` is not current yet: this migration must end first.
      appendTable(to: target)
      return false
    }
    if target.claim(cell, for: key, hashed) { return true }
    target.unreserve()
    return false
  }

  /// Tries to write `word` to its key's cell. Returns the table to probe next, or nil once the word
  /// is in the cell.
  private func copyForward(_ word: ValueWord, in cell: Cell, of target: Table) -> Table? {
    switch cell.value.kind {
    case .untouched:
      if let next = target.next { return migrate(cell, of: target) ? next : target }
      return cell.replaceValue(.untouched, with: word) ? nil : target
    case .migrated: return target.next
    case .removed:
      placeTombstone(in: cell)
      return target
    case .inline, .boxed, .claimed, .absent, .frozen: return nil
    }
  }
}

// MARK: - Removing all keys

extension LockFreeDictionary {
  /// Removes the keys one by one, and replaces a large table with a small one. Keys that are set
  /// during the call may remain.
  ///
  /// - Complexity: O(*n*).
  public func removeAll() {
    CriticalSection.checkNotHeld(self)
    var odd = irreflexive.removeAll()
    domain.release(contentsOf: &odd)
    var removed: [ValueWord] = []
    var rest: [Key] = []
    var keys = EpochDomain.Collected()
    domain.collectReleases(to: &keys) {
      KeyCoding<Key>.guarding(self) {
        domain.pin {
          let table = finishMigrations()
          for index in 0..<table.cellCount {
            remove(from: table.cell(at: index), of: table, &removed, rest: &rest)
          }
          shrinkIfSparse(table)
          if table.next != nil { finishMigration(of: table) }
        }
      }
    }
    domain.release(keys)
    Coding.release(removed, in: domain, borrowing)
    // A set, because a key in a node may have been removed and set again during the walk.
    for key in Set(rest) { remove(key) }
  }

  /// Removes the value of a cell without a search for its key.
  ///
  /// - Parameters:
  ///   - removed: Gets the value's word if the value must be released.
  ///   - rest: Gets the key if another thread has claimed or migrated the value. Also gets a key in
  ///     a node: set again, it would have a cell behind this one, and the walk would remove it a
  ///     second time.
  private func remove(
    from cell: Cell, of table: Table, _ removed: inout [ValueWord], rest: inout [Key]
  ) {
    // Loaded once: later it may be a tombstone. The pin keeps the node.
    let key = cell.key
    if key == 0 && !table.isZeroKeyCell(cell) { return }
    if !KeyCoding<Key>.fitsWord && key == KeyCoding<Key>.tombstone { return }
    while true {
      let word = cell.value
      switch word.kind {
      case .untouched, .absent, .removed: return
      case .claimed, .frozen, .migrated: return rest.append(KeyCoding<Key>.key(key))
      case .inline, .boxed:
        guard KeyCoding<Key>.fitsWord else { return rest.append(KeyCoding<Key>.key(key)) }
        guard cell.replaceValue(word, with: .absent) else { continue }
        live.add(-1)
        if !(Coding.isTrivial && word.isInline) { removed.append(word) }
        return
      }
    }
  }
}

// MARK: - Walking over all cells

extension LockFreeDictionary {
  /// A copy with all keys and values, in one pass over the cells.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: [Key: Value] {
    let pairs = KeyCoding<Key>.guarding(self) { self.pairs }
    var snapshot = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs { snapshot[key] = value }
    return snapshot
  }

  /// All keys and values, in the order of the cells. A key that is removed and set again during the
  /// call may appear twice.
  var pairs: [(Key, Value)] {
    var pairs: [(Key, Value)] = []
    domain.pin {
      let table = finishMigrations()
      for index in 0..<table.cellCount {
        if let pair = pair(at: index, of: table) { pairs.append(pair) }
      }
    }
    return pairs + irreflexive.all
  }

  private func pair(at index: Int, of table: Table) -> (Key, Value)? {
    var key: Key?
    let value = Coding.copy {
      guard let found = word(at: index, of: table) else { return .absent }
      key = found.0
      return found.1
    }
    guard let key, let value else { return nil }
    return (key, value)
  }

  /// Returns the key of a cell and its value word, in whichever table the word is; nil if the cell
  /// has no key, or no value for it. The caller must be pinned.
  func word(at index: Int, of table: Table) -> (Key, ValueWord)? {
    let cell = table.cell(at: index)
    let word = cell.key
    if word == 0 && index < table.capacity { return nil }
    if !KeyCoding<Key>.fitsWord && word == KeyCoding<Key>.tombstone { return nil }
    var present = cell.value
    if present == .untouched || present == .absent || present == .removed { return nil }
    let key = KeyCoding<Key>.key(word)
    if present == .migrated {
      present = search(table.next.unsafelyUnwrapped, key, Hashed(ofWord: word))
    }
    return (key, present)
  }
}
