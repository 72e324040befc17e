// A hash table whose bucket is one cache line: a state, three keys, three values, and a pointer to
// an overflow bucket. Readers take no lock and write nothing; a writer locks the bucket of its key
// (David, Guerraoui, Trigonakis, "Asynchronized Concurrency", 2015, as CLHT; xsync's map, 2022).
// Writers migrate the table to its successor a few buckets at a time.
//
// The state of a bucket also covers the overflow buckets behind it: *locked* or not, *moved* or
// not, and a *version*. A key stays in its slot. To replace its value is one store. To remove it is
// to store 0 for the key. To insert one is to raise the version, to store the value in a free slot,
// and then the key. A reader loads the state, searches for the key, loads the value beside it, and
// starts again if the version has changed by then. It ignores the lock.
//
// A table with too many or too few keys gets a *next* one, of another power of two, with the same
// seeds. The keys of a group of buckets here, a *migration group* (in the code: unit), are then
// exactly those of a group of buckets there. A writer that sees a next table tries to lock all
// buckets of some groups, copies their words, and marks them moved. What it cannot lock, another
// writer tries again later: no thread waits in order to migrate.
//
// Invariants:
//  1. Which keys a bucket has, and whether it is moved, changes only under its lock: neither is a
//     single atomic operation.
//  2. A slot gets a key, or gets one again, only after the version was raised; and the version is
//     raised only while the slot is free.
//  3. A key's bucket is that of the first table, from the root on, whose bucket for the key is not
//     moved. In other tables no thread writes the key, and none reads it except one that was
//     already on its way (below).
//  4. A moved bucket never changes again. Until its group is migrated, a bucket of the next table
//     is empty, and only the migrating thread touches it. So that thread takes no lock there.
//  5. A slot with a key owns what its words point to; a moved bucket owns nothing. The thread that
//     takes a word out retires what it pointed to, after a sequentially consistent store of another
//     word.
//  6. Each group of a table is counted as done once, by the thread that migrated it. The thread
//     that counts the last one makes the next table the root and retires this one.
//
// Why 2 pairs a key with its own value. A reader may find its key and then load the value of
// another key's insertion, or of a later insertion of its own key. It then sees the version that
// was raised before that value was stored. This differs from the version it loaded before it
// searched for the key, because the slot was free at that time.
//
// Linearization:
//  - A write: its store of the value or of the key, under the lock. Unlocking is an exchange, so
//    that all threads see the store before the write returns.
//  - A read that finds a value: its load of the value. If the key was removed before that load:
//    just before the removal, which came after the load of the key. If the bucket was moved
//    meanwhile: no later than the move, when what the bucket holds was current, as the reader saw
//    it unmoved.
//  - A read that does not find its key: had the key been in one slot from the first load to the
//    last, the reader would have found it there. So there was a moment in between when the key was
//    absent, or the bucket was moved without it.
//
// Why words may be retired, as `EpochDomain` requires. A reader that finds a node through a slot
// loaded it before the store of 5, or loaded the key before the store to the key's word. One that
// finds it in a moved bucket loaded the state before the bucket was marked, which came before any
// thread could take the node out of the next table.
//
// Progress. Readers wait for nobody. A reader starts again only if a key was put into its bucket
// meanwhile, and goes on to the next table if its bucket was moved. Writers block the other writers
// of their bucket, as does `update` while its body runs. A suspended writer blocks no other bucket,
// but it blocks the end of a migration if there is one: buckets then get longer rather than more. A
// thread that cannot lock a bucket spins briefly, leaves its pin and sleeps.

import EpochReclamation
import Primitives

/// A dictionary whose readers take no lock and whose writers lock the one cache line of their key.
///
/// It encodes keys and values as `LockFreeDictionary` does: numbers and other small trivial ones
/// are stored in the table, others in nodes. A write that needs no node allocates nothing, and
/// neither does `update`, whose body blocks the writers of a few other keys besides its own. Slots
/// of removed keys are reused. Writers grow and shrink the table step by step; its secret seeds
/// stay the same.
///
/// A key or a value that is replaced or removed is released when the epoch allows, see
/// `EpochDomain`.
public final class BucketLockDictionary<Key: Hashable, Value>: SynchronousDictionary {
  typealias Table = BucketTable<Key, Value>
  typealias Region = BucketRegion<Key, Value>
  typealias Print = Fingerprint<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// The number of threads that sleep, or are about to sleep, until a bucket is unlocked.
  private let sleepers = Atomic<Int>(0)
  /// Counts unlockings that a thread may have waited for.
  private let unlockings = EventCounter()
  /// The number of keys.
  let live = LiveCount()
  /// The least size of a table.
  let leastSize: Int

  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty dictionary whose memory `domain` reclaims.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastSize: 4)
  }

  /// - Parameter leastSize: The least number of buckets of a table; a power of two.
  package init(domain: EpochDomain, leastSize: Int) {
    self.domain = domain
    self.leastSize = leastSize
    root = Atomic(Table(size: leastSize, seeds: .random()).memory)
  }

  deinit {
    noteLastRelease(of: self)
    // No other thread has the dictionary any more: its last release ordered everything before this.
    var rest: Table? = current
    while let table = rest {
      for index in 0..<table.bucketCount { Self.destroyWords(in: table.bucket(index)) }
      rest = table.next
      table.deallocate()
    }
  }

  /// Releases what the words of a bucket own, unless they are in the next table.
  private static func destroyWords(in bucket: Bucket) {
    if bucket.state.isMoved { return }
    for bucket in bucket.all {
      for slot in 0..<Bucket.slotCount where bucket.key(slot) != 0 {
        KeyCoding<Key>.destroy(bucket.key(slot))
        Coding.destroy(bucket.value(slot))
      }
    }
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
    if present != nil { Coding.destroy(new) }
    return present ?? made
  }

  /// The number of keys, which is updated after the keys themselves, and may be a little behind.
  public var count: Int { max(0, live.total) }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they
// may be.
extension BucketLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

// MARK: - Reading

extension BucketLockDictionary {
  public func value(forKey key: Key) -> Value? {
    let print = Print(key)
    return domain.pin { Coding.copy(word(for: key, print)) }
  }

  /// Calls `body` with the value for `key`, which is neither copied nor retained; nil without a
  /// value.
  ///
  /// `body` runs with the epoch pinned: while it runs, nothing that any thread takes out of a
  /// collection of this domain is released. Another thread may replace the value meanwhile.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    let print = Print(key)
    return try domain.pin { () throws(F) -> R? in try Coding.borrow(word(for: key, print), body) }
  }

  public func values(forKeys keys: [Key]) -> [Value?] {
    Coding.values(forKeys: keys, in: domain) {
      current.probe($0).bucket.address
    } word: {
      word(for: $0, $1)
    }
  }

  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the
      // exchange in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// The word of the value for `key`, or `absent`. The caller is pinned.
  @inline(__always)
  func word(for key: Key, _ print: Print) -> ValueWord {
    let probe = current.probe(print)
    let state = probe.bucket.state
    if !state.isMoved {
      if let slot = Table.slot(of: key, print, probe.sought, in: probe.bucket) {
        let word = probe.bucket.value(slot)
        if probe.bucket.state.hasVersion(of: state) { return word }
      } else if probe.bucket.next == nil {
        return .absent
      }
    }
    return search(key, print)
  }

  /// The same by the slow path, which checks the bucket and those behind it in every table.
  @inline(never)
  private func search(_ key: Key, _ print: Print) -> ValueWord {
    var table = current
    while true {
      let probe = table.probe(print)
      let state = probe.bucket.state
      if state.isMoved {
        table = table.next.unsafelyUnwrapped
      } else if let word = word(for: key, print, probe, state) {
        return word
      }
    }
  }

  /// The word for `key` in a bucket or one behind it; nil if the slot in which it was found may
  /// have another key by now.
  private func word(
    for key: Key, _ print: Print, _ probe: Table.Probe, _ state: BucketState
  ) -> ValueWord? {
    var rest: Bucket? = probe.bucket
    while let bucket = rest {
      if let slot = Table.slot(of: key, print, probe.sought, in: bucket) {
        let word = bucket.value(slot)
        return probe.bucket.state.hasVersion(of: state) ? word : nil
      }
      rest = bucket.next
    }
    return .absent
  }
}

// MARK: - Locking

extension BucketLockDictionary {
  /// The number of times a thread checks a locked bucket before it sleeps, with ever longer pauses.
  /// 0 under a managed scheduler, where no thread would ever sleep otherwise.
  private static var spins: Int {
    #if Interleaving
      0
    #else
      7
    #endif
  }

  /// Locks `bucket` unless its holder keeps it for long; returns its state from before.
  @inline(__always)
  func lock(_ bucket: Bucket) -> BucketState? {
    bucket.tryLock() ?? Self.lockSlowly(bucket)
  }

  @inline(never)
  private static func lockSlowly(_ bucket: Bucket) -> BucketState? {
    for turn in 0..<spins {
      for _ in 0..<1 << turn { spinHint() }
      if let state = bucket.tryLock() { return state }
    }
    return nil
  }

  /// Sets the state of a bucket to `state`, which is not locked, and wakes the sleeping threads.
  @inline(__always)
  func unlock(_ bucket: Bucket, _ state: BucketState) {
    bucket.exchangeState(state)
    // Sequentially consistent; pairs with the addition in `sleep`, argued there.
    if sleepers.load(ordering: .sequentiallyConsistent) != 0 { wakeSleepers() }
  }

  @inline(never)
  private func wakeSleepers() {
    unlockings.signal()
  }

  /// Suspends the thread until the bucket of a key, which was locked, is unlocked; may return
  /// earlier.
  @inline(never)
  func sleep(untilUnlocked print: Print) {
    CurrentThread.noteFailedExchange()
    // Sequentially consistent; pairs with the exchange and the load in `unlock`:
    // - if this comes before that load, the unlocking thread signals, after the ticket or before
    //   it;
    // - if it comes after, `isLocked` finds the bucket unlocked.
    sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let ticket = unlockings.ticket()
    if isLocked(print) { unlockings.wait(for: ticket) }
    // Relaxed: a thread that is counted too long costs only superfluous signals.
    sleepers.wrappingSubtract(1, ordering: .relaxed)
  }

  private func isLocked(_ print: Print) -> Bool {
    domain.pin {
      var table = current
      while true {
        let state = table.probe(print).bucket.state
        if !state.isMoved { return state.isLocked }
        table = table.next.unsafelyUnwrapped
      }
    }
  }
}
