// A hash table whose bucket is one cache line: a state, three keys, three values, a pointer to a bucket
// more. Readers take no lock and write nothing; a writer locks the bucket of its key (David, Guerraoui,
// Trigonakis, "Asynchronized Concurrency", 2015, as CLHT; xsync's map, 2022). The table is moved to its
// successor some buckets at a time, by its writers.
//
// The state of a bucket is that of all behind it: *locked* or not, *moved* or not, and a *version*. A key
// that is there stays in its slot; to replace its value is one store. To remove it is to store 0 for the
// key. To insert one is to raise the version, to store the value in a free slot, and then the key. A
// reader loads the state, looks for the key, loads the value beside it, and begins anew if the version is
// another by then. It does not mind a lock.
//
// A table with too many or too few keys gets a *next* one of another power of two, with the same seeds.
// So the keys of some buckets here, a *unit*, are all that will be in some buckets there, and in no
// others. A writer that sees a next table tries to lock all buckets of some units, copies their words,
// and marks them moved. What it does not get, another writer tries again later: nobody waits to move.
//
// Invariants:
//  1. What is not atomic in a bucket's meaning changes under its lock: which keys are there, and moved.
//  2. A slot gets a key, or gets one again, only after the version was raised; and the version is raised
//     only while the slot is free.
//  3. A key's bucket is that of the first table, from the root on, whose bucket for it is not moved. In
//     other tables nobody writes the key, and nobody reads it but who was on the way (below).
//  4. A moved bucket never changes again. Until its unit is moved, a bucket of the next table is empty,
//     and touched by the mover alone. So a mover takes no lock there.
//  5. A slot with a key owns what the words point to; a moved bucket owns nothing. Whoever takes a word
//     out retires what it pointed to, after a sequentially consistent store of another word.
//  6. Of the units of a table each is counted as done once, by its mover; who counts the last makes the
//     next table the root and retires this one.
//
// Why 2 pairs a key with its own value. A reader that finds its key and then loads the value of another
// key's insertion, or of a later one of its own, sees the version that was raised before that value was
// stored: it is not the version it had before it looked for the key, since the slot was free then.
//
// Linearization. A write: its store of the value or of the key, under the lock; unlocking is an exchange,
// so that the store is seen by all before the write returns. A read that finds a value: its
// load of the value or, if the key was removed before that, just before its removal, which came after
// the load of the key; and if the bucket was moved meanwhile, no later than that, when what it holds was
// the truth: the reader saw it unmoved. A read that does not find its key: if the key had been there in
// one slot from the first load to the last, the reader would have seen it there; so there was a moment
// in between when it was absent, or the bucket was moved without it.
//
// Why words may be retired, as `EpochDomain` asks: who finds a node through a slot loaded it before the
// store of 5, or loaded the key before the key's; who finds it in a moved bucket loaded the state before
// it was marked, which came before anyone could take the node out of the next table.
//
// Progress. Readers wait for nobody; one begins anew only when a key was put into its bucket meanwhile,
// and goes on to the next table when its bucket was moved. Writers block those of the same bucket, as does
// `update` while its body runs; a stopped writer stops no other bucket, but the end of a move if there is
// one: buckets then get longer rather than more. Whoever cannot lock a bucket spins briefly, leaves its pin and
// sleeps.

import EpochReclamation
import Primitives

/// The dictionary whose readers take no lock and whose writers lock the one cache line of their key.
///
/// It has the encodings of `LockFreeDictionary`: numbers and other small trivial keys and values stand in
/// the table, and what does not is in nodes. A write that replaces nothing in a node allocates nothing, and
/// neither does `update`, whose body keeps other writers of some keys besides its own waiting. Slots of
/// removed keys are used again. The table grows and shrinks step by step, by those who write; its seeds,
/// which are secret, stay the same.
///
/// A key or a value that is replaced or removed is released when the epoch allows, see `EpochDomain`.
public final class BucketLockDictionary<Key: Hashable, Value>: SynchronousDictionary {
  typealias Table = BucketTable<Key, Value>
  typealias Region = BucketRegion<Key, Value>
  typealias Print = Fingerprint<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// How many threads are about to sleep, or asleep, until a bucket is unlocked.
  let sleepers = Atomic<Int>(0)
  /// Counts unlockings that somebody may have slept for.
  let unlockings = EventCounter()
  /// How many keys there are.
  let live = LiveCount()
  /// Tables do not become smaller.
  let leastSize: Int

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastSize: 4)
  }

  /// - Parameter leastSize: how many buckets a table has at least; a power of two.
  package init(domain: EpochDomain, leastSize: Int) {
    self.domain = domain
    self.leastSize = leastSize
    root = Atomic(Table(size: leastSize, seeds: .random()).memory)
  }

  deinit {
    noteLastRelease(of: self)
    // Nobody else has the dictionary any more: its last release ordered everything before this.
    var rest: Table? = current
    while let table = rest {
      for index in 0..<table.bucketCount { Self.destroyWords(in: table.bucket(index)) }
      rest = table.next
      table.deallocate()
    }
  }

  /// Gives up what the words of a bucket own, unless they are in the next table.
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
    if present != nil && !Defect.loserKept.isPlanted { Coding.destroy(new) }
    return present ?? made
  }

  /// Unlike its keys' changes it is made after them, so that it may be a little behind.
  public var count: Int { max(0, live.total) }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension BucketLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension BucketLockDictionary {
  public func value(forKey key: Key) -> Value? {
    let print = Print(key)
    return domain.pin { Coding.copy(word(for: key, print)) }
  }

  /// Calls `body` with the value for `key`, which is neither copied nor retained; nil without a value.
  ///
  /// `body` runs with the epoch pinned: while it runs, nothing that anybody takes out of a collection of
  /// this domain is released. The value that it has got may be replaced meanwhile.
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
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
      // in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// The word of the value for `key`, or `absent`. For use under a pin.
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

  /// The same, whatever the first bucket was seen to hold.
  @inline(never)
  private func search(_ key: Key, _ print: Print) -> ValueWord {
    var table = current
    while true {
      let probe = table.probe(print)
      let state = probe.bucket.state
      if state.isMoved && !Defect.movedBucketRead.isPlanted {
        table = table.next.unsafelyUnwrapped
      } else if let word = word(for: key, print, probe, state) {
        return word
      }
    }
  }

  /// The word for `key` in a bucket or one behind it; nil if the slot in which it was found may have got
  /// another key meanwhile.
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

extension BucketLockDictionary {
  /// Looks at a locked bucket before a thread sleeps; between them it pauses for ever longer. None under
  /// a managed scheduler, where nobody would ever sleep otherwise.
  private static var spins: Int {
    #if Interleaving
      0
    #else
      7
    #endif
  }

  /// Locks `bucket`, if its holder does not keep it for long; returns its state before.
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

  /// Makes the state of a bucket `state`, which is not locked, and wakes those who sleep.
  @inline(__always)
  func unlock(_ bucket: Bucket, _ state: BucketState) {
    if Defect.unlockedByStore.isPlanted {
      bucket.setState(state)
    } else {
      bucket.exchangeState(state)
    }
    // Sequentially consistent; pairs with the addition in `sleep`, argued there.
    if sleepers.load(ordering: .sequentiallyConsistent) != 0 { wakeSleepers() }
  }

  @inline(never)
  private func wakeSleepers() {
    if !Defect.unlockedWithoutWaking.isPlanted { unlockings.signal() }
  }

  /// Returns when the bucket of a key, which was locked, has been unlocked, or earlier for no reason.
  @inline(never)
  func sleep(untilUnlocked print: Print) {
    CurrentThread.noteFailedExchange()
    // Sequentially consistent; pairs with the exchange and the load in `unlock`:
    // - if this comes before that load, the unlocking signals, after the ticket or before it;
    // - if it comes after, the look finds the bucket unlocked.
    sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let ticket = unlockings.ticket()
    if isLocked(print) {
      unlockings.wait(for: Defect.lostWakeUp.isPlanted ? unlockings.ticket() : ticket)
    }
    // Relaxed: a sleeper counted too long costs superfluous signals.
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
