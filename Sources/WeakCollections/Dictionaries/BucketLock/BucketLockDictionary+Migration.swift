// The replacement of a table, the migration of its buckets, and iteration over all buckets during a
// migration. The head of `BucketLockDictionary.swift` has the states and the invariants.

import EpochReclamation
import Primitives

extension BucketLockDictionary {
  /// Begins to replace `table` with a larger one if it has more than two keys for each bucket.
  @inline(never)
  func growIfDense(_ table: Table) {
    let count = live.total
    guard count > 2 * table.size else { return }
    var size = 2 * table.size
    // More than twice as large if an `update` has delayed the end of the last migration.
    while 2 * size < count { size *= 2 }
    replace(table, bySize: size)
  }

  /// Begins to replace `table` with a smaller one if it has few keys.
  @inline(never)
  func shrinkIfSparse(_ table: Table) {
    guard table.size > leastSize, 4 * live.total < table.size else { return }
    // In steps, so that a migration group has few buckets.
    replace(table, bySize: max(leastSize, table.size / 4))
  }

  /// Migrates to the smallest table that has room, unless another thread holds a bucket.
  private func finishShrinking() {
    var table = current
    while let next = table.next, next.size < table.size {
      // Each call migrates one chunk of groups, or finds that another thread holds one of them.
      for _ in 0...next.bucketCount / Self.chunk where current == table {
        _ = migrateSome(of: table)
      }
      if current == table { return }
      table = current
    }
  }

  private func replace(_ table: Table, bySize size: Int) {
    guard table == current, table.next == nil else { return }
    let next = Table(size: size, seeds: table.head.pointee.seeds)
    if !table.append(next) {
      CurrentThread.noteFailedCompareExchange()
      next.deallocate()
    }
  }
}

// MARK: - Migrating buckets

extension BucketLockDictionary {
  /// The number of groups that a writer tries to migrate.
  private static var chunk: Int { 16 }

  /// Migrates some groups of `table`, which is or was the current table; returns the table that is
  /// current now.
  @inline(never)
  func migrateSome(of table: Table) -> Table {
    let next = table.next.unsafelyUnwrapped
    let groups = min(table.bucketCount, next.bucketCount)
    let chunks = (groups + Self.chunk - 1) / Self.chunk
    // Relaxed: the counter hands out numbers and publishes no other memory. The numbers wrap around
    // the chunks, because an earlier attempt may have found a locked group.
    let number = table.migration.pointee.begun.wrappingAdd(1, ordering: .relaxed).oldValue
    let begin = number % chunks * Self.chunk
    var migrated = 0
    for group in begin..<min(begin + Self.chunk, groups) where migrate(group, of: table, to: next) {
      migrated += 1
    }
    if migrated > 0 { note(migrated, of: groups, table) }
    return current
  }

  private func note(_ migrated: Int, of groups: Int, _ table: Table) {
    // Sequentially consistent: the thread that counts the last group comes after the migration of
    // all groups.
    let done = table.migration.pointee.done.wrappingAdd(migrated, ordering: .sequentiallyConsistent)
    if done.newValue == groups { unlink(table) }
  }

  /// Replaces the root with the next table of `table`, all of whose buckets are migrated.
  private func unlink(_ table: Table) {
    let next = table.next.unsafelyUnwrapped
    // Sequentially consistent: unlinks the table, which is then retired.
    let (isOurs, _) = root.compareExchange(
      expected: table.memory, desired: next.memory, ordering: .sequentiallyConsistent)
    guard isOurs else { fatalError("another thread has already replaced this table as the root") }
    domain.retire(table.memory, as: Table.self, byteCount: table.byteCount)
    shrinkIfSparse(next)
    growIfDense(next)
  }

  /// Migrates one group. Returns false if the group is migrated, is being migrated, or has a locked
  /// bucket.
  private func migrate(_ group: Int, of table: Table, to next: Table) -> Bool {
    let indices = table.indices(ofGroup: group, migratedTo: next)
    guard tryLock(indices, of: table) else { return false }
    for index in indices { Self.copy(index, of: table, to: next) }
    for index in indices {
      let bucket = table.bucket(index)
      unlock(bucket, bucket.state.unlocked.migrated)
    }
    return true
  }

  /// Locks either all buckets of a group or none. Fails if one of them is locked or migrated.
  private func tryLock(_ indices: StrideTo<Int>, of table: Table) -> Bool {
    var locked = 0
    for index in indices {
      if !tryLockUnmigrated(table.bucket(index)) {
        unlock(indices.prefix(locked), of: table)
        return false
      }
      locked += 1
    }
    return true
  }

  private func tryLockUnmigrated(_ bucket: Bucket) -> Bool {
    if bucket.state.isMigrated { return false }
    guard let state = bucket.tryLock() else { return false }
    if state.isMigrated { unlock(bucket, state) }
    return !state.isMigrated
  }

  private func unlock(_ indices: some Sequence<Int>, of table: Table) {
    for index in indices {
      let bucket = table.bucket(index)
      unlock(bucket, bucket.state.unlocked)
    }
  }

  /// Copies the words of a bucket, and of those behind it, to the next table.
  private static func copy(_ index: Int, of table: Table, to next: Table) {
    var rest: Bucket? = table.bucket(index)
    while let bucket = rest {
      for slot in 0..<Bucket.slotCount {
        let word = bucket.key(slot)
        if word == 0 { continue }
        let target = next.probe(table.hashedKey(ofWord: word, in: index)).bucket
        let place = Table.freePlace(in: target)
        place.bucket.setValue(bucket.value(slot), place.slot)
        place.bucket.setKey(word, place.slot)
      }
      rest = bucket.next
    }
  }
}

// MARK: - Iterating over all buckets

extension BucketLockDictionary {
  /// A copy with all keys and values, in one pass over the buckets.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: [Key: Value] {
    let pairs = KeyCoding<Key>.guarding(self) { self.pairs }
    var snapshot = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs { snapshot[key] = value }
    return snapshot
  }

  /// All keys and values. A key that is migrated, or removed and set again, during the call may
  /// appear twice.
  private var pairs: [(Key, Value)] {
    var pairs: [(Key, Value)] = []
    domain.pin {
      let table = current
      for index in 0..<table.bucketCount { collect(index, of: table, into: &pairs) }
    }
    return pairs + irreflexive.all
  }

  /// Appends the keys of a bucket with their values, in whichever table they are. The caller must
  /// be pinned.
  private func collect(_ index: Int, of table: Table, into pairs: inout [(Key, Value)]) {
    collect(BucketRange(table: table, index: index), in: table, into: &pairs)
  }

  private func collect(
    _ range: BucketRange<Key, Value>, in table: Table, into pairs: inout [(Key, Value)]
  ) {
    for index in range.indices(in: table) {
      let range = range.narrowed(to: index, of: table)
      let state = table.bucket(index).state
      if state.isMigrated {
        collect(range, in: tableBehind(table), into: &pairs)
      } else {
        collect(range, index, of: table, state, into: &pairs)
      }
    }
  }

  /// Returns the table that has the keys of a migrated bucket of `table`: the next table or, if
  /// that has been replaced too, the current one.
  private func tableBehind(_ table: Table) -> Table {
    let current = current
    return current == table ? table.next.unsafelyUnwrapped : current
  }

  /// Appends the keys of a bucket range that are in one bucket, with their values; `state` is the
  /// bucket's state, which was not migrated.
  private func collect(
    _ range: BucketRange<Key, Value>, _ index: Int, of table: Table, _ state: BucketState,
    into pairs: inout [(Key, Value)]
  ) {
    let first = table.bucket(index)
    for bucket in first.all {
      for slot in 0..<Bucket.slotCount {
        let word = bucket.key(slot)
        if word == 0 { continue }
        let hashed = table.hashedKey(ofWord: word, in: index)
        guard range.contains(hashed) else { continue }
        let key = table.key(ofWord: word, in: index)
        var present = bucket.value(slot)
        // The value may belong to another key: look it up again.
        if !first.state.hasVersion(of: state) { present = self.word(for: key, hashed) }
        // So too if its object has been removed meanwhile.
        let value = Coding.copy(present) ?? Coding.copy { self.word(for: key, hashed) }
        if let value { pairs.append((key, value)) }
      }
    }
  }

  /// Removes the keys bucket by bucket. Keys that are set during the call may remain.
  public func removeAll() {
    CriticalSection.checkNotHeld(self)
    var odd = irreflexive.removeAll()
    domain.release(contentsOf: &odd)
    var left: [(Key, Value)] = []
    var removed: [ValueWord] = []
    var keys = EpochDomain.Collected()
    domain.collectReleases(to: &keys) {
      KeyCoding<Key>.guarding(self) {
        domain.pin {
          let table = current
          for index in 0..<table.bucketCount where !clear(table.bucket(index), &removed) {
            collect(index, of: table, into: &left)
          }
          shrinkIfSparse(current)
          finishShrinking()
        }
      }
    }
    domain.release(keys)
    Coding.release(removed, in: domain, borrowing)
    for (key, _) in left { remove(key) }
    domain.release(contentsOf: &left)
  }

  /// Removes the keys of a bucket; returns false if it stays locked, or is migrated. `values` gets
  /// the words whose values must be released.
  ///
  /// The keys of a migrated bucket must be removed one by one. After a shrink, their bucket in the
  /// next table also has keys of buckets that are not marked as migrated yet. Readers may still
  /// load the words of those there, so they must not be retired.
  private func clear(_ first: Bucket, _ values: inout [ValueWord]) -> Bool {
    guard let state = lock(first) else { return false }
    defer { unlock(first, state) }
    if state.isMigrated { return false }
    var removed = 0
    for bucket in first.all {
      for slot in 0..<Bucket.slotCount where bucket.key(slot) != 0 {
        let old = bucket.value(slot)
        let word = takeKey(at: Table.Place(bucket: bucket, slot: slot, hasKey: true), old)
        if !(Coding.isTrivial && old.isInline) { values.append(old) }
        if !KeyCoding<Key>.fitsWord { KeyCoding<Key>.retire(word, in: domain) }
        removed += 1
      }
    }
    if removed > 0 { live.add(-removed) }
    return true
  }
}

/// A bucket range: the keys that belong in one bucket of a table, in whichever table they are by
/// now. It is a set of hashes.
struct BucketRange<Key: Hashable, Value> {
  typealias Table = BucketTable<Key, Value>

  let table: Table
  let index: Int

  func contains(_ hashed: HashedKey<Key>) -> Bool {
    table.probe(hashed).bucket == table.bucket(index)
  }

  /// Returns the indices of the buckets of another table that have some of its keys.
  func indices(in other: Table) -> StrideTo<Int> { table.successors(of: index, in: other) }

  /// Returns the intersection with a bucket of another table; `index` is one of
  /// `indices(in: other)`.
  ///
  /// A pass through smaller and larger tables continues with the intersection rather than with that
  /// bucket. Otherwise it would visit a bucket once for each path that leads there.
  func narrowed(to index: Int, of other: Table) -> BucketRange {
    other.size > table.size ? BucketRange(table: other, index: index) : self
  }
}
