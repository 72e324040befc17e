// A hash table whose bucket is one cache line: a state, three keys, three values, and a pointer to
// an overflow bucket. Readers take no lock and write nothing; a writer locks the bucket of its key.
// This is the design of CLHT (David, Guerraoui, Trigonakis, "Asynchronized Concurrency", 2015) and
// of the map of xsync (2022).
// Writers migrate the table to its successor a few buckets at a time.
//
// The state of a bucket also covers the overflow buckets behind it: *locked* or not, *migrated*
// (`isMigrated`) or not, and a *version*. A key stays in its slot. Replacing its value is one
// store. Removing it means storing 0 for the key. Inserting one means raising the version, storing
// the value in a free slot, and then storing the key. A reader loads the state, searches for the
// key, loads the value beside it, and starts again if the version has changed by then. It ignores
// the lock.
//
// A table with too many or too few keys gets a *next* one, whose size is another power of two and
// whose seeds are the same. The keys of a group of buckets here, a *migration group* (`group` in
// the code), are then exactly the keys of a group of buckets there. A writer that sees a next table
// tries to lock all buckets of some groups, copies their words, and marks them migrated. If it
// cannot lock a group, another writer tries again later: no thread blocks in order to migrate.
//
// Invariants:
//  1. The set of keys of a bucket, and whether it is migrated, change only under its lock: neither
//     change is a single atomic operation.
//  2. A slot gets a key, or gets one again, only after the version was raised; and the version is
//     raised only while the slot is free.
//  3. A key's bucket is in the first table, from the root on, whose bucket for the key is not
//     migrated. In other tables no thread writes the key, and the only readers of it are those that
//     had already loaded the bucket's state (see below).
//  4. The keys and values of a migrated bucket never change again; a writer may still lock and
//     unlock it. Before a group is migrated, its buckets in the next table are empty, and only the
//     migrating thread accesses them. So that thread takes no lock there.
//  5. A slot with a key owns the memory that its words point to; a migrated bucket owns nothing.
//     The thread that removes a word releases its value (`ValueCoding`) and retires its memory,
//     after a sequentially consistent store of another word.
//  6. Each group of a table is counted as done once, by the thread that migrated it. The thread
//     that counts the last one makes the next table the root and retires this one.
//
// Why invariant 2 pairs a key with its own value. A reader may find its key and then load the value
// of another key's insertion, or of a later insertion of its own key. It then sees the version that
// was raised before that value was stored. This version differs from the one that it loaded before
// it searched for the key, because the slot was free at that time.
//
// Linearization:
//  - A write: its store of the value or of the key, under the lock. Unlocking is an atomic
//    `exchange`, so that all threads see the store before the write returns.
//  - A read that finds a value: its load of the value, with two exceptions. If a thread removed the
//    key before that load: just before the removal, which came after the load of the key. If a
//    thread migrated the bucket before that load: just before the migration, which came after the
//    load of the state. Until then the contents of the bucket were current.
//  - A read that does not find its key: had the key been in one slot from the first load to the
//    last, the reader would have found it there. So there was a moment in between when the key was
//    absent, or the bucket was migrated without it.
//
// Why the memory of a word may be retired, as `EpochDomain` requires: every reader that finds it
// was pinned before a sequentially consistent operation unlinked it. There are three cases.
//  - The word of a key, or a value word that was replaced: the reader loaded it before the store of
//    invariant 5.
//  - The value word of a removed key, which stays in the slot: the reader loaded the key before the
//    store of 0 to the key's word.
//  - Either word in a migrated bucket: the reader loaded the state before the bucket was marked.
//    The mark came before any thread could remove the word from the next table.
//
// Progress. Readers never block. A reader starts again only if a key was inserted into its bucket
// during the read, and continues in the next table if its bucket was migrated. Writers block the
// other writers of their bucket, as does `update` while its body runs. A suspended writer blocks no
// other bucket, but it blocks the end of a migration in progress: overflow chains then grow instead
// of the table. A thread that cannot lock a bucket spins briefly, leaves its pin and sleeps.

import EpochReclamation
import Primitives

/// A dictionary whose readers take no lock and whose writers lock the single cache line of their
/// key.
///
/// It encodes keys and values as `LockFreeDictionary` does: the table stores numbers and other
/// small trivial ones; nodes store the others. A write that needs no node allocates nothing.
/// Neither does `update`, whose body blocks the writers of its own key and of a few others. Slots
/// of removed keys are reused. Writers grow and shrink the table step by step; its secret seeds
/// stay the same.
///
/// Keys and values that are replaced or removed are released as those of `LockFreeDictionary` are.
public final class BucketLockDictionary<Key: Hashable, Value>: SynchronousDictionary,
  ConcurrentDictionary, ExpressibleByDictionaryLiteral
{
  typealias Table = BucketTable<Key, Value>
  typealias Hashed = HashedKey<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// Wakes the writers that sleep until a bucket is unlocked.
  private let unlockings = EventCount()
  /// The number of keys.
  let live = LiveCount()
  /// The smallest size of a table.
  let leastSize: Int
  let borrowing = Borrowing()
  let irreflexive = IrreflexiveEntries<Key, Value>()

  /// Creates an empty dictionary in the shared domain.
  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty dictionary whose memory `domain` reclaims.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastSize: 4)
  }

  /// Creates an empty dictionary.
  ///
  /// - Parameters:
  ///   - domain: The domain that reclaims the dictionary's memory.
  ///   - leastSize: The smallest number of buckets of a table; a power of two.
  package init(domain: EpochDomain, leastSize: Int) {
    self.domain = domain
    self.leastSize = leastSize
    root = Atomic(Table(size: leastSize, seeds: .random()).memory)
  }

  deinit {
    noteLastRelease(of: self)
    Teardown.release(irreflexive.removeAll())
    // No other thread has access to the dictionary: its last release orders every other use before
    // this.
    Teardown.perform(current) { first in
      var rest: Table? = first
      while let table = rest {
        for index in 0..<table.bucketCount { Self.destroyWords(in: table.bucket(index)) }
        rest = table.next
        table.deallocate()
      }
    }
  }

  /// Releases the keys and values of a bucket, unless they are in the next table.
  private static func destroyWords(in bucket: Bucket) {
    if bucket.state.isMigrated { return }
    for bucket in bucket.all {
      for slot in 0..<Bucket.slotCount where bucket.key(slot) != 0 {
        KeyCoding<Key>.destroy(bucket.key(slot))
        Coding.destroy(bucket.value(slot))
      }
    }
  }

  /// Sets the value for `key`. Blocks while another thread changes a key in the same bucket.
  public func setValue(_ value: Value, forKey key: Key) {
    let new = Coding.encode(value)
    if keepsBeside(key, new) { return }
    let old = change(key, { _ in new })
    Coding.release(old, in: domain, borrowing)
  }

  /// Removes `key`; returns the value that it had. Blocks while another thread changes a key in the
  /// same bucket.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
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

  /// The number of keys. It is updated after the keys themselves, so it may be slightly outdated.
  public var count: Int {
    CriticalSection.checkNotHeld(self)
    return max(0, live.total) + irreflexive.count
  }
}

// @unchecked: shared state is atomic or immutable; threads share keys and values only if they are
// Sendable.
extension BucketLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

// MARK: - Reading

extension BucketLockDictionary {
  /// Returns the value for `key`, without taking a lock.
  public func value(forKey key: Key) -> Value? {
    // No user code runs: the key is a number, and a copy at most retains what is in the value.
    if KeyCoding<Key>.isNumber {
      // A function instead of a closure, because the compiler inlines it.
      @inline(__always)
      func read() -> Value?? {
        let word = word(for: key, Hashed(key))
        return Coding.fitsWord ? Coding.inlineValue(word) : .some(Coding.copy(word))
      }
      if let value = domain.pinQuickly(read) { return value }
    }
    return probe(for: key)
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

  /// Returns the values for `keys`, in the same order; nil where there is none. Prefetches the
  /// buckets of several keys at the same time.
  public func values(forKeys keys: [Key]) -> [Value?] {
    if keys.isEmpty { return [] }
    return KeyCoding<Key>.guarding(self) {
      Coding.values(forKeys: keys, in: domain) {
        UnsafeMutableRawPointer(mutating: current.probe($0).bucket.address)
      } word: { key, hashed, _ in
        word(for: key, hashed)
      }
    }
  }

  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the
      // compare-exchange in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Returns the value word for `key`, or `absent`. The caller must be pinned.
  @inline(__always)
  func word(for key: Key, _ hashed: Hashed) -> ValueWord {
    let probe = current.probe(hashed)
    let state = probe.bucket.state
    if !state.isMigrated {
      if let slot = Table.slot(of: key, hashed, probe.sought, in: probe.bucket) {
        let word = probe.bucket.value(slot)
        if probe.bucket.state.hasVersion(of: state) { return word }
      } else if probe.bucket.next == nil {
        return .absent
      }
    }
    return search(key, hashed)
  }

  /// Returns the same as `word(for:_:)`, by the slow path: checks the bucket and those behind it in
  /// every table.
  @inline(never)
  private func search(_ key: Key, _ hashed: Hashed) -> ValueWord {
    var table = current
    while true {
      let probe = table.probe(hashed)
      let state = probe.bucket.state
      if state.isMigrated {
        table = table.next.unsafelyUnwrapped
      } else if let word = word(for: key, hashed, probe, state) {
        return word
      }
    }
  }

  /// Returns the value word for `key` in a bucket or one behind it; nil if the slot in which it was
  /// found may have another key by now.
  private func word(
    for key: Key, _ hashed: Hashed, _ probe: Table.Probe, _ state: BucketState
  ) -> ValueWord? {
    var rest: Bucket? = probe.bucket
    while let bucket = rest {
      if let slot = Table.slot(of: key, hashed, probe.sought, in: bucket) {
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
  /// The number of times that a thread checks a locked bucket before it sleeps, with growing
  /// pauses. 0 under a managed scheduler, where otherwise no thread would ever sleep.
  private static var spins: Int { ManagedScheduler.isCompiledIn ? 0 : 7 }

  /// Locks `bucket`; returns its previous state, or nil if it stays locked for long.
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

  /// Sets the state of a bucket to `state`, which is unlocked, and wakes the sleeping threads.
  @inline(__always)
  func unlock(_ bucket: Bucket, _ state: BucketState) {
    bucket.exchangeState(state)
    unlockings.signal()
  }

  /// Suspends the thread until the locked bucket of a key is unlocked. May return early.
  @inline(never)
  func sleep(untilUnlocked hashed: Hashed) {
    CurrentThread.noteFailedCompareExchange()
    unlockings.wait { isLocked(hashed) }
  }

  private func isLocked(_ hashed: Hashed) -> Bool {
    domain.pin {
      var table = current
      while true {
        let state = table.probe(hashed).bucket.state
        // A migrated bucket counts too: a thread that locked it in order to see its state may be
        // suspended, and until it unlocks the bucket, no other thread gets past it.
        if state.isLocked { return true }
        guard state.isMigrated else { return false }
        table = table.next.unsafelyUnwrapped
      }
    }
  }
}
