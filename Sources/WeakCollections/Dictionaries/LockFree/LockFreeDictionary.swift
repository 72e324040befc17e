// A hash table with open addressing whose cells are two words each (Click, "A Lock-Free Wait-Free
// Hash Table", 2007). Writers migrate it to its successor one chunk at a time (papaya, 2024). Four
// cells share a cache line, and a probe compares the keys of a whole line (`CellTable`).
//
// A key claims a cell permanently: the cell's key word changes from 0 to the key. The value word is
// the state of the cell: `untouched`, a value, `claimed` by an `update`, `absent` or `removed`;
// during a migration also `frozen` and `migrated`. A write is one compare-exchange of a value word:
//
//     untouched ──> value or claimed <──> absent      a key in its word
//     untouched ──> value or claimed ───> removed     a key in a node
//     value or claimed ──> frozen ──> migrated        a migration
//     untouched or absent ──────────> migrated        a migration
//
// A table that is too full, too empty, or has long probes gets a `next` table. From then on no key
// gets a value in an `untouched` cell. Every writer migrates one chunk of cells, and the cell of
// its own key if necessary. To migrate a cell, a thread freezes it, writes the frozen value word to
// the next table if the key's cell there is still `untouched`, and marks the old cell `migrated`.
// When all cells are migrated, a compare-exchange replaces the root with the next table.
//
// Invariants:
//  1. A key word changes from 0 to a key and, if the key is in a node, on to the tombstone; never
//     back. A probe loads the keys in the order of the cells, line by line. So all probes for a key
//     end at the same first empty cell, and once a table contains the key, every probe finds it.
//  2. A value word never returns to `untouched`. Only a thread that loaded the key from the cell or
//     put it there, and after that loaded nil from `next`, may change `untouched` to a value. So a
//     cell that is empty when `next` is set never gets a value, and a migration skips it. A writer
//     also loads `next` before it scans. If it finds a next table there and then an empty cell, the
//     key belongs in the next table.
//  3. A value is in one cell among all tables; a frozen cell only refers to it. If the key has a
//     cell with a value in this table, a thread writes the value word to the next table only after
//     this cell was frozen. Until this cell is `migrated`, the only threads that write the key in
//     the next table are those that migrate this value word. Exactly one of them changes the value
//     word there from `untouched`.
//  4. A frozen word changes only to `migrated`; `migrated` and `removed` never change.
//  5. A value word owns its value; `frozen` and `migrated` own nothing. The thread whose
//     compare-exchange replaced a value releases it, after its pin (`ValueCoding`). A table owns
//     its key nodes until it is deallocated, except those that a tombstone replaced, which the
//     thread that placed it retires. A migration copies the node.
//  6. The thread that made a claim ends it, in whichever table the claim is by then. So a body runs
//     once, and no other thread changes its key until then. Readers see the value from before the
//     claim; other writers of the key wait.
//
// Why a suspended migrating thread cannot restore a key that was migrated and then removed. The
// thread scans the next table, and claims the empty cell if the scan did not find the key. Before
// it writes the value word there, it checks that the old cell is still frozen. If so, then at the
// time of the scan or the claim only threads that migrate this value word had written the key in
// the next table (invariant 3). So the cell that the scan found or the thread claimed is the cell
// of the key for them too. Suppose that they finish after the check, while this thread is
// suspended. They have changed the value word of that cell. It never returns to `untouched`
// (invariant 2), so the compare-exchange from `untouched` fails, and the thread stops. If they
// finish before the check, the thread has written no value, and at most claimed a cell for a key
// without a value.
//
// Why a writer does not go to the next table from a removed cell. A thread that finds `untouched`
// may load `next` much later. By then the cell may have got a value and lost it again, and the key
// may have a value in another cell behind the tombstone. So a writer whose cell turns out to be
// `removed` probes the same table again. In the next table it would write the key beside that
// value, which the migration would then drop. A read in the same place may go on: the key had no
// value when the read found `untouched`.
//
// Linearization:
//  - A write: its compare-exchange of the value word.
//  - A read that finds a value, or `absent`: its load of the value word. A frozen word is still
//    current, because a writer of the key first marks it `migrated`.
//  - A read that finds no key, or `untouched`, and no next table: its load of the word that showed
//    this, because no thread had written the key elsewhere by then. If there is a next table, the
//    read continues there.
//
// Progress. Reads are wait-free, except while keys are removed and set again, or tables are
// replaced, during the read. Writes are lock-free, except for claimed keys. A suspended thread does
// not prevent the end of a migration: later writers migrate the chunks that it has begun. While no
// thread writes, a migration makes no progress: both tables remain, and a read of a migrated key
// probes both. `update` is not lock-free.

import EpochReclamation
import Primitives

/// A dictionary with epoch reclamation that is lock-free except for `update`: a suspended thread
/// never stops the others.
///
/// The table itself stores numbers, object identifiers and other trivial keys of fewer than eight
/// bytes, and values of up to eight bytes: reading or replacing them allocates nothing. Other keys
/// and values are in separate nodes. Writers grow, shrink and purge the table step by step.
///
/// On Linux, if `Value` is a class, an object that is replaced or removed is released in that call.
/// Any other value is, if no other thread is inside an operation of a dictionary of the same
/// domain; otherwise a thread of the library releases it when the operations that were running have
/// ended, usually within a millisecond. Once `withValue` has been called, the objects of its
/// dictionary are released as other values are, and keys always are. A key is not released before
/// the end of a table replacement that was in progress at its removal. What is removed inside the
/// body of another collection is left to the library's thread. Only memory in which no `deinit` can
/// run is kept longer; see `EpochDomain`.
public final class LockFreeDictionary<Key: Hashable, Value>: SynchronousDictionary,
  ConcurrentDictionary, ExpressibleByDictionaryLiteral
{
  typealias Table = CellTable<Key, Value>
  typealias Hashed = HashedKey<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  /// The current table; never nil.
  let root: Atomic<UnsafeMutableRawPointer?>
  /// The number of keys that have a value.
  let live = LiveCount()
  /// The smallest capacity of a table.
  let leastCapacity: Int
  let borrowing = Borrowing()
  let irreflexive = IrreflexiveEntries<Key, Value>()
  // Readers keep the fields above cached while others call `update`.
  private let padding = CacheLinePadding()
  /// The number of claimed keys without a value.
  let claimsOfAbsent = Atomic<Int>(0)
  /// Wakes the writers that wait for the end of a claim.
  private let endedClaims = EventCount()

  /// Creates an empty dictionary in the shared domain.
  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty dictionary whose memory `domain` reclaims.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastCapacity: 8)
  }

  /// Creates an empty dictionary.
  ///
  /// - Parameters:
  ///   - domain: The domain that reclaims the dictionary's memory.
  ///   - leastCapacity: The smallest capacity of a table; a power of two, at least 2.
  package convenience init(domain: EpochDomain, leastCapacity: Int) {
    self.init(domain: domain, leastCapacity: leastCapacity, seeds: .random())
  }

  init(domain: EpochDomain, leastCapacity: Int, seeds: HashSeeds) {
    self.domain = domain
    self.leastCapacity = leastCapacity
    root = Atomic(Table(capacity: leastCapacity, seeds: seeds).memory)
  }

  deinit {
    noteLastRelease(of: self)
    Teardown.release(irreflexive.removeAll())
    // No other thread has access to the dictionary: its last release orders every other use before
    // this.
    // The old tables have copies of the keys.
    var tables = EpochDomain.Collected()
    let table = domain.collectReleases(to: &tables) { domain.pin { finishMigrations() } }
    domain.release(tables)
    Teardown.perform(table) { table in
      for index in 0..<table.cellCount { Coding.destroy(table.cell(at: index).value) }
      table.deallocate()
    }
  }

  /// Returns the value for `key`. Wait-free, unless writers remove the key or replace the table
  /// meanwhile.
  public func value(forKey key: Key) -> Value? {
    // No user code runs: the key is a number, and the value is in the word. (A value that is an
    // object is retained; an Objective-C class that overrides `retain` must use no collection
    // there.)
    if KeyCoding<Key>.isNumber && Coding.fitsWord {
      let hashed = Hashed(key)
      // A function instead of a closure, because the compiler inlines it.
      @inline(__always)
      func read() -> Value?? {
        let table = current
        guard let found = table.findInHomeLine(hashed) else {
          return inlineValue(behindHomeLineOf: table, key, hashed)
        }
        return Coding.inlineValue(found.value)
      }
      if let value = domain.pinQuickly(read) { return value }
    }
    return probe(for: key)
  }

  /// Returns the value for a number that is not in the first line of its probe, as
  /// `Coding.inlineValue` does.
  @inline(never)
  private func inlineValue(
    behindHomeLineOf table: Table, _ key: Key, _ hashed: Hashed
  ) -> Value?? {
    let place = table.find(key, hashed)
    if place.hasKey { return Coding.inlineValue(place.cell.value) }
    return table.next == nil ? .some(nil) : nil
  }

  @inline(never)
  private func probe(for key: Key) -> Value? {
    KeyCoding<Key>.guarding(self) {
      let hashed = Hashed(key)
      return domain.pin { Coding.copy { word(for: key, hashed) } }
    }
  }

  /// Returns whether there is a value for `key`.
  public func contains(key: Key) -> Bool {
    KeyCoding<Key>.guarding(self) {
      let hashed = Hashed(key)
      return domain.pin { word(for: key, hashed).isValue }
    }
  }

  /// Returns the values for `keys`, in the same order; nil where there is none. Prefetches the
  /// cells of several keys at the same time.
  public func values(forKeys keys: [Key]) -> [Value?] {
    if keys.isEmpty { return [] }
    return KeyCoding<Key>.guarding(self) {
      Coding.values(forKeys: keys, in: domain) {
        current.homeLine(for: $0)
      } word: { key, hashed, line in
        // In the table that was current when the line was prefetched. It is still allocated.
        if KeyCoding<Key>.isNumber, let found = Table.find(hashed, inLineAt: line),
          Coding.isInline(found.value)
        {
          return found.value
        }
        return word(for: key, hashed)
      }
    }
  }

  /// Calls `body` with the value for `key`, without copying or retaining it; returns nil if there
  /// is no value. Traps if `body` uses the dictionary.
  ///
  /// `body` runs while the epoch is pinned. Until it returns, nothing that any thread removes from
  /// this dictionary is released, nor are values of other dictionaries of its domain that are no
  /// object references. A body that delays a release for more than 100 ms is reported by
  /// `EpochDomain.printStall`. Another thread may replace the value during the call.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    CriticalSection.checkNotHeld(self)
    if Coding.isCounted { borrowing.begin() }
    return try CriticalSection.hold(self) { () throws(F) -> R? in
      let hashed = Hashed(key)
      return try domain.pinLending { () throws(F) -> R? in
        try Coding.borrow(word(for: key, hashed), body)
      }
    }
  }

  /// Sets the value for `key`. Lock-free, unless another thread is in `update` of the same key.
  public func setValue(_ value: Value, forKey key: Key) {
    CriticalSection.checkNotHeld(self)
    let new = Coding.encode(value)
    if KeyCoding<Key>.isNumber && Coding.isTrivial && new.isInline,
      replaceInPlace(key, Hashed(key), with: new)
    {
      return
    }
    set(new, for: key)
  }

  @inline(never)
  private func set(_ new: ValueWord, for key: Key) {
    if keepsBeside(key, new) { return }
    let old = change(key, { _ in new })
    Coding.release(old, in: domain, borrowing)
  }

  /// Replaces the inline value of a number unless a migration is in progress; returns whether it
  /// did.
  @inline(__always)
  private func replaceInPlace(_ key: Key, _ hashed: Hashed, with new: ValueWord) -> Bool {
    @inline(__always)
    func replace() -> Bool? {
      let table = current
      guard table.next == nil, let (cell, old) = table.findInHomeLine(hashed) else { return nil }
      return Coding.isInline(old) && cell.replaceValue(old, with: new) ? true : nil
    }
    return domain.pinQuickly(replace) ?? false
  }

  /// Removes `key`; returns the value that it had. Lock-free, unless another thread is in `update`
  /// of the same key.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    CriticalSection.checkNotHeld(self)
    let old = change(key, { $0 == .absent ? nil : .absent })
    return Coding.take(old, in: domain, borrowing)
  }

  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`,
  /// which runs outside the critical section.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    CriticalSection.checkNotHeld(self)
    if let present = value(forKey: key) { return present }
    let made = try makeValue()
    let new = Coding.encode(made)
    if keepsBeside(key, new) { return made }
    while !inserts(new, key) {
      // Nil if the value that was present has been removed meanwhile.
      if let present = value(forKey: key) {
        Coding.destroy(new)
        return present
      }
    }
    return made
  }

  /// Inserts a word unless the key has a value; returns whether it did.
  @inline(never)
  private func inserts(_ new: ValueWord, _ key: Key) -> Bool {
    change(key) { $0 == .absent ? new : nil } == .absent
  }

  /// Adds an entry for a key that is not equal to itself, and ends `word`, which has its value;
  /// returns false for any other key.
  @inline(__always)
  private func keepsBeside(_ key: Key, _ word: ValueWord) -> Bool {
    guard IrreflexiveEntries<Key, Value>.contain(key, self), let value = Coding.copy(word)
    else { return false }
    irreflexive.append(key, value)
    Coding.destroy(word)
    return true
  }

  /// The number of keys; exact while no thread writes.
  ///
  /// - Complexity: O(1).
  public var count: Int {
    CriticalSection.checkNotHeld(self)
    return max(0, live.total) + irreflexive.count
  }
}

// @unchecked: shared state is atomic or immutable; threads share keys and values only if they are
// Sendable.
extension LockFreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

// MARK: - Reading

extension LockFreeDictionary {
  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the
      // compare-exchange in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent).unsafelyUnwrapped)
    }
  }

  /// Returns the value word for `key`: a value, boxed or inline, claimed, frozen, or `absent`. The
  /// caller must be pinned.
  @inline(__always)
  func word(for key: Key, _ hashed: Hashed) -> ValueWord {
    let table = current
    let place = table.find(key, hashed)
    if !place.hasKey {
      guard let next = table.next else { return .absent }
      return search(next, key, hashed)
    }
    let word = place.cell.value
    if Coding.fitsWord && word.isInline || word.isBoxed { return word }
    return search(table, key, hashed)
  }

  /// Returns the value word for `key` in `table` or one of its successors.
  @inline(never)
  func search(_ table: Table, _ key: Key, _ hashed: Hashed) -> ValueWord {
    var table = table
    while true {
      let place = table.find(key, hashed)
      let word = place.hasKey ? place.cell.value : .untouched
      switch word.kind {
      case .inline, .boxed, .claimed, .frozen, .absent: return word
      case .removed: placeTombstone(in: place.cell)
      case .untouched, .migrated:
        guard let next = table.next else { return .absent }
        table = next
      }
    }
  }

  /// Replaces the key of a removed cell with a tombstone and retires the key. Later probes continue
  /// behind the cell.
  func placeTombstone(in cell: Cell) {
    let word = cell.key
    let tombstone = KeyCoding<Key>.tombstone
    guard word != tombstone, cell.replaceKey(word, with: tombstone) else { return }
    KeyCoding<Key>.retire(word, in: domain)
  }
}

// MARK: - Writing

extension LockFreeDictionary {
  /// Removes `key`, and releases its value.
  func remove(_ key: Key) {
    let old = change(key) { $0 == .absent ? nil : .absent }
    Coding.release(old, in: domain, borrowing)
  }

  /// Changes the value word for `key` as the function below does; traps if this thread is inside a
  /// body of this dictionary.
  @inline(__always)
  private func change(_ key: Key, _ decide: (ValueWord) -> ValueWord?) -> ValueWord {
    if KeyCoding<Key>.isInert {
      return KeyCoding<Key>.guarding(self) { change(key, Hashed(key), decide) }
    }
    var keys = EpochDomain.Collected()
    let old = domain.collectReleases(to: &keys) {
      KeyCoding<Key>.guarding(self) { change(key, Hashed(key), decide) }
    }
    domain.release(keys)
    return old
  }

  /// Replaces the value word for `key` with the result of `decide`, and calls `decide` again
  /// whenever another thread changed the word in the meantime.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - hashed: The hashed key.
  ///   - mine: The word of the calling thread's own claim on the key; `untouched` if it has none.
  ///     The function waits for the end of any other claim.
  ///   - decide: Receives the word of a value, `absent`, or `mine`. Returns the word of a value,
  ///     `absent` or a claim, or nil to change nothing. It may be called several times.
  /// - Returns: The last argument of `decide`.
  @inline(__always) @discardableResult
  func change(
    _ key: Key, _ hashed: Hashed, mine: ValueWord = .untouched,
    _ decide: (ValueWord) -> ValueWord?
  ) -> ValueWord {
    while true {
      if let old = domain.pin({ tryChange(key, hashed, mine, decide) }) { return old }
      endedClaims.wait { domain.pin { word(for: key, hashed).holdsClaim } }
    }
  }

  /// Tries to change the value word; returns nil if a claim must end first.
  @inline(__always)
  private func tryChange(
    _ key: Key, _ hashed: Hashed, _ mine: ValueWord, _ decide: (ValueWord) -> ValueWord?
  ) -> ValueWord? {
    var table = current
    if table.next != nil { table = migrateSome(of: table) }
    while true {
      // Before the scan: once there is a next table, no thread puts a value into a cell that the
      // scan finds empty.
      let next = table.next
      let place = table.find(key, hashed)
      if !place.hasKey {
        if let next {
          table = next
          continue
        }
        if decide(.absent) == nil { return .absent }
        guard claim(place.cell, for: key, hashed, of: table) else { continue }
      }
      let cell = place.cell
      let word = cell.value
      if word.isOccupied || word == .absent {
        if word.isClaimed && word != mine { return nil }
        guard let new = decide(word) else { return word }
        if replaceWord(word, with: new, in: cell, of: table) { return word }
      } else if word == .untouched && table.next == nil {
        guard let new = decide(.absent) else { return .absent }
        if replaceWord(word, with: new, in: cell, of: table) { return .absent }
      } else if word == .removed {
        placeTombstone(in: cell)
      } else if migrate(cell, of: table) {
        table = table.next.unsafelyUnwrapped
      }
    }
  }

  /// Replaces `old`, the argument of `decide`, with `new`; returns whether the cell still contained
  /// `old`.
  @inline(__always)
  func replaceWord(
    _ old: ValueWord, with new: ValueWord, in cell: Cell, of table: Table
  ) -> Bool {
    let isRemoval = new == .absent
    let stored = isRemoval && !KeyCoding<Key>.fitsWord ? .removed : new
    let isInPlace = old.isInline && new.isInline
    if !isInPlace { countArrival(of: new, for: old) }
    guard cell.replaceValue(old, with: stored) else {
      CurrentThread.noteFailedCompareExchange()
      if !isInPlace { countDeparture(of: new, for: old) }
      return false
    }
    let changed = isInPlace ? nil : countDeparture(of: old, for: new)
    if isRemoval { noteRemoval(in: cell, of: table, leaving: changed) }
    table.checkInvariants(around: cell)
    return true
  }

  @inline(never)
  private func noteRemoval(in cell: Cell, of table: Table, leaving count: Int?) {
    if !KeyCoding<Key>.fitsWord { placeTombstone(in: cell) }
    // Only on some removals, independent of the hashes: reading the whole count costs more than
    // removing.
    if let count, count & 15 == 0 { shrinkIfSparse(table) }
  }

  /// Tries to claim the cell for a key that was not found, or makes room for the key elsewhere;
  /// returns whether this thread claimed the cell.
  @inline(never)
  private func claim(
    _ cell: Cell, for key: Key, _ hashed: Hashed, of table: Table
  ) -> Bool {
    if reseedIfLong(table.distance(of: cell, hashed), cell, hashed, table) { return false }
    guard table.reserve() else {
      makeRoom(in: table)
      return false
    }
    if table.claim(cell, for: key, hashed) { return true }
    table.unreserve()
    return false
  }

  /// Changes the value for `key` in one step; returns the result of `body`. Not lock-free: other
  /// writers of the same key wait.
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    CriticalSection.checkNotHeld(self)
    if IrreflexiveEntries<Key, Value>.contain(key, self) {
      return try irreflexive.update(key, in: self, domain, body)
    }
    var replaced = ValueWord.absent
    var keys = EpochDomain.Collected()
    var new: Value?
    // Held from before the claim, so that no reclaimer runs while this thread has a claim.
    let result = CriticalSection.hold(self) {
      let hashed = Hashed(key)
      let claim = claim(key, hashed)
      // The claim owns the word, so no pin is needed.
      let prior = claim.pointee.prior
      new = Coding.copy(prior)
      let result = domain.withoutQuickPins { Result { () throws(F) in try body(&new) } }
      if case .success = result {
        let word = new.map { Coding.encode($0) } ?? .absent
        if KeyCoding<Key>.isInert {
          end(claim, of: key, hashed, with: word)
        } else {
          domain.collectReleases(to: &keys) { end(claim, of: key, hashed, with: word) }
        }
        replaced = prior
      } else {
        end(claim, of: key, hashed, with: prior)
      }
      return result
    }
    if !KeyCoding<Key>.isInert { domain.release(keys) }
    Coding.release(replaced, in: domain, borrowing)
    return try withExtendedLifetime(new) { () throws(F) in try result.get() }
  }

  /// Claims `key` for the calling thread.
  private func claim(_ key: Key, _ hashed: Hashed) -> UnsafeMutablePointer<Claim> {
    let claim = Claim.make()
    let word = ValueWord(.claimed, claim)
    change(key, hashed) { present in
      claim.writing().pointee.prior = present
      return word
    }
    return claim
  }

  /// Replaces the claim with `new`, in whichever table the claim is by then.
  private func end(
    _ claim: UnsafeMutablePointer<Claim>, of key: Key, _ hashed: Hashed, with new: ValueWord
  ) {
    change(key, hashed, mine: ValueWord(.claimed, claim)) { _ in new }
    domain.retire(claim, as: Claim.self)
    endedClaims.signal()
  }

  // The counts include a value from before it is stored until after it is replaced, so a suspended
  // thread never makes them too low. If it did, threads would repeatedly replace a table with one
  // that is too small for the words that must be migrated to it. A sum over several stripes can
  // still miss changes that are made during the summation. If a table is too small for this reason,
  // it gets a next table.

  /// Counts `new`, which is about to replace `old`.
  @inline(never)
  private func countArrival(of new: ValueWord, for old: ValueWord) {
    if new.isValue && !old.isValue { live.add(1) }
    // Relaxed, here and below: the counter publishes no other memory.
    if new.claimsAbsent { claimsOfAbsent.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Stops counting `old`, which `new` has replaced. Returns the result of `live.add` if it called
  /// it.
  @inline(never) @discardableResult
  private func countDeparture(of old: ValueWord, for new: ValueWord) -> Int? {
    if old.claimsAbsent { claimsOfAbsent.wrappingSubtract(1, ordering: .relaxed) }
    guard old.isValue && !new.isValue else { return nil }
    return live.add(-1)
  }
}
