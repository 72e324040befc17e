// A hash table with open addressing, of cells of two words (Click, "A Lock-Free Wait-Free Hash Table",
// 2007), moved to its successor a chunk at a time by its writers (papaya, 2024).
//
// A key gets a cell once and for all: its word goes from 0 to the key. The value word says what stands
// there: `untouched`, a value, `claimed` by an `update`, `absent`, `removed`; and when the table is being
// replaced, `frozen` and `moved`. A write is one exchange of a value word. A table that is too full, too
// empty or has long probes gets a `next` one. From then on no key gets a value in a cell that is
// `untouched`, and every writer moves a chunk of cells, and the cell of its own key if it must. To move
// a cell is to freeze it, to put what it held into the next table where the key's cell is still
// `untouched`, and to mark it `moved`. When all cells are, the root is exchanged for the next table.
//
// Invariants:
//  1. A key word goes from 0 to a key and, for a key in a node, on to `dead`; never back. So all who
//     probe for a key meet at the same first empty cell, and once a table has the key it is found.
//  2. A value word leaves `untouched` once. To a value it goes only by a thread that saw `next` to be nil
//     after it saw the key in the cell. Once `next` is set, an empty cell therefore stays without a
//     value, and need not be closed. A writer loads `next` before it scans: only then may it take an
//     empty cell for the proof that the key belongs into the next table.
//  3. A value stands in one cell of all tables: an exchange puts it into the next table only after the
//     key's cell, if it has one, was frozen here; and nobody writes the key there before this cell is
//     `moved`, but the movers of this one word, of whom one finds `untouched`.
//  4. A frozen word never changes but to `moved`; `moved` and `removed` never change.
//  5. A word owns its value; `frozen` and `moved` own nothing. Whoever's exchange replaced a value
//     retires it. A table owns its key nodes until it is given back, but for those it marked `dead`,
//     which are retired by whoever marked them. A move copies the node.
//  6. A claim is ended by the thread that made it, wherever it was moved to; so a body runs once, with
//     nobody else changing its key. Readers see the value before; other writers of the key wait.
//
// A mover that was stopped cannot bring back a key that was moved and removed meanwhile. Before it puts
// a word into a cell it looks, after its scan, whether the old cell is still frozen. If so, nobody had
// written the key in the next table when it scanned; if the others have finished since, then either the
// cell it found has the key, and is not `untouched` any more (`absent` and `removed` are not), or it was
// empty and is not: its exchange fails, and after the next scan it sees that the cell is `moved`.
//
// Linearization. A write: its exchange of the value word. A read that finds a value, or `absent`: its
// load of the value word; a frozen one is still the truth, since whoever writes the key marks it `moved`
// before. A read that finds no key, or `untouched`, and no next table: its load of the word that told it
// so, for nobody had written the key elsewhere by then; if there is a next table it looks there.
//
// Progress. Reads are wait-free but for keys that are removed and set again, or tables replaced, while
// they look. Writes are lock-free but for keys that are claimed: a stopped mover delays the end of a
// move, not the writes, and when room runs out again, its chunk is moved by another. `update` is not.

import EpochReclamation
import Primitives

/// The dictionary that no stopped thread can stop: lock-free but for `update`, with epoch reclamation.
///
/// Numbers, object identifiers and other trivial keys of fewer than eight bytes stand in the table itself,
/// as do values of up to eight bytes: to read or replace them allocates nothing. Other keys and values
/// are in nodes of their own. The table grows, shrinks and is purged step by step, by those who write.
///
/// A value that is replaced or removed is released when the epoch allows, see `EpochDomain`; so is a key
/// that is removed, and not before a replacement of the table has ended that was under way then.
public final class LockFreeDictionary<Key: Hashable, Value>: SynchronousDictionary {
  typealias Table = CellTable<Key, Value>
  typealias Print = Fingerprint<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// How many keys have a value.
  let live = LiveCount()
  /// How many keys without a value are claimed.
  let claimsOfAbsent = Atomic<Int>(0)
  /// Counts claims that have ended.
  let endedClaims = EventCounter()
  /// Tables do not become smaller.
  let leastCapacity: Int

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastCapacity: 8)
  }

  /// - Parameter leastCapacity: a power of two, at least 2.
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
    // Nobody else has the dictionary any more: its last release ordered everything before this.
    domain.pin { finishMoves() }
    let table = current
    for index in 0..<table.cellCount { Coding.destroy((table.cells + index).pointee.value) }
    table.deallocate()
  }

  public func setValue(_ value: Value, forKey key: Key) {
    Exclusion.checkNotHeld(self)
    let new = Coding.encode(value)
    change(key, Print(key), { _ in new }) { old in Coding.retire(old, in: domain) }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    Exclusion.checkNotHeld(self)
    return change(key, Print(key), { $0 == .absent ? nil : .absent }) { old in
      let value = Coding.copy(old)
      Coding.retire(old, in: domain)
      return value
    }
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    Exclusion.checkNotHeld(self)
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    let new = Coding.encode(made)
    let present = change(key, Print(key), { $0 == .absent ? new : nil }) { Coding.copy($0) }
    if present != nil && !Defect.loserKept.isPlanted { Coding.destroy(new) }
    return present ?? made
  }

  /// Removes the keys one by one; keys set meanwhile may stay.
  public func removeAll() {
    Exclusion.checkNotHeld(self)
    for (key, _) in pairs { removeValue(forKey: key) }
  }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension LockFreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
