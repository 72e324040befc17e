import Primitives

/// One cache line of a table: a state, three keys, three values, and a pointer to an overflow
/// bucket:
///
///     | state | k0 | k1 | k2 | v0 | v1 | v2 | next |
///
/// Slot *i* is key *i* with value *i*; its key is 0 while the slot is free. An overflow bucket has
/// the same layout, but its state is unused: the state of the first bucket covers all of them.
struct Bucket: Equatable {
  static var slotCount: Int { 3 }
  static var byteCount: Int { 64 }

  let words: UnsafeMutablePointer<Atomic<UInt>>

  @inline(__always)
  init(memory: UnsafeMutableRawPointer) {
    words = memory.assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// Returns a new, free overflow bucket.
  static func make() -> Bucket {
    // Zeros are free slots.
    Bucket(memory: NodeMemory.allocateZeroed(byteCount: byteCount))
  }

  func deallocate() {
    NodeMemory.deallocateZeroed(words)
  }

  var address: UnsafeRawPointer { UnsafeRawPointer(words) }

  /// Returns the key word of a slot; 0 while the slot is free. See `KeyCoding`.
  @inline(__always)
  func key(_ slot: Int) -> UInt {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with `setKey`.
    (words + 1 + slot).pointee.load(ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  func value(_ slot: Int) -> ValueWord {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with `setValue`.
    ValueWord(bits: (words + 4 + slot).pointee.load(ordering: .sequentiallyConsistent))
  }

  /// The overflow bucket behind this one.
  var next: Bucket? {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with `append`.
      let bits = (words + 7).pointee.load(ordering: .sequentiallyConsistent)
      return UnsafeMutableRawPointer(bitPattern: bits).map { Bucket(memory: $0) }
    }
  }

  /// This bucket and the overflow buckets behind it.
  var all: some Sequence<Bucket> { sequence(first: self) { $0.next } }

  // The following functions require that the caller holds the lock.

  /// Stores a key word or 0 in a slot.
  ///
  /// - Parameters:
  ///   - word: The new word.
  ///   - slot: The slot.
  ///   - unlinks: Whether the caller retires memory that readers reach through the old word.
  @inline(__always)
  func setKey(_ word: UInt, _ slot: Int, unlinks: Bool = false) {
    let place = words + 1 + slot
    if unlinks {
      // Sequentially consistent: an unlinking, see `EpochDomain.retire`.
      _ = place.pointee.exchange(word, ordering: .sequentiallyConsistent)
    } else {
      // Releasing: publishes the node of a key, and the value stored before.
      place.pointee.store(word, ordering: .releasing)
    }
  }

  /// Stores a value in a slot.
  ///
  /// - Parameters:
  ///   - word: The new value word.
  ///   - slot: The slot.
  ///   - unlinks: Whether the caller retires memory that readers reach through the old word.
  @inline(__always)
  func setValue(_ word: ValueWord, _ slot: Int, unlinks: Bool = false) {
    let place = words + 4 + slot
    if unlinks {
      // Sequentially consistent: an unlinking, see `EpochDomain.retire`.
      _ = place.pointee.exchange(word.bits, ordering: .sequentiallyConsistent)
    } else {
      // Releasing: publishes the memory that the word points to. A thread that reads the word also
      // sees the version raised before.
      place.pointee.store(word.bits, ordering: .releasing)
    }
  }

  func append(_ bucket: Bucket) {
    // Releasing: publishes the bucket.
    (words + 7).pointee.store(UInt(bitPattern: bucket.words), ordering: .releasing)
  }

  /// Traps if the bucket is not locked, or if a key word is in two slots of this bucket and those
  /// behind it. The caller must hold the lock.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(
        state.isLocked && !state.isMigrated,
        "a bucket was changed while it was \(state.isMigrated ? "migrated" : "unlocked")")
      var words: Set<UInt> = []
      for bucket in all {
        for slot in 0..<Self.slotCount where bucket.key(slot) != 0 {
          precondition(
            words.insert(bucket.key(slot)).inserted,
            "key word \(bucket.key(slot)) is in two slots of one bucket")
        }
      }
    #endif
  }
}

// MARK: - State

/// The state of a bucket: whether it is locked, whether it is migrated (`isMigrated`), and a
/// version that the insertion of a key increments:
///
///     | 62 bits: version | 1 bit: migrated | 1 bit: locked |
struct BucketState {
  let bits: UInt

  private static var lock: UInt { 1 }
  private static var migration: UInt { 2 }
  private static var version: UInt { 4 }

  @inline(__always)
  init(bits: UInt) {
    self.bits = bits
  }

  var isLocked: Bool {
    @inline(__always) get { bits & Self.lock != 0 }
  }

  /// Whether the contents of the bucket are in the next table.
  var isMigrated: Bool {
    @inline(__always) get { bits & Self.migration != 0 }
  }

  var locked: BucketState {
    @inline(__always) get { BucketState(bits: bits | Self.lock) }
  }

  var unlocked: BucketState {
    @inline(__always) get { BucketState(bits: bits & ~Self.lock) }
  }

  var migrated: BucketState {
    @inline(__always) get { BucketState(bits: bits | Self.migration) }
  }

  var raised: BucketState {
    @inline(__always) get { BucketState(bits: bits &+ Self.version) }
  }

  /// Returns whether no slot got another key between the two states.
  @inline(__always)
  func hasVersion(of other: BucketState) -> Bool { bits ^ other.bits < Self.version }
}

extension Bucket {
  var state: BucketState {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with `setState`
      // and `exchangeState`: a thread that sees that the bucket is migrated sees its keys in the
      // next table.
      BucketState(bits: words.pointee.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Locks the bucket if it is unlocked; returns the previous state, or nil if it was locked.
  @inline(__always)
  func tryLock() -> BucketState? {
    // Relaxed: a first check; the compare-exchange decides.
    let state = BucketState(bits: words.pointee.load(ordering: .relaxed))
    guard !state.isLocked else { return nil }
    // Acquiring: pairs with `exchangeState`, by which the last holder unlocked the bucket. On
    // failure relaxed: the result is not used.
    let (done, _) = words.pointee.compareExchange(
      expected: state.bits, desired: state.locked.bits, successOrdering: .acquiring,
      failureOrdering: .relaxed)
    return done ? state : nil
  }

  /// Sets the state to `state`, which is still locked. The caller must hold the lock.
  @inline(__always)
  func setState(_ state: BucketState) {
    // Releasing: a thread that reads this state acquires what earlier holders of the lock did. A
    // relaxed store would end the release sequence of their `exchangeState`. The version itself is
    // published by the value, which is stored later.
    words.pointee.store(state.bits, ordering: .releasing)
  }

  /// Sets the state to `state`, which unlocks the bucket. The caller must hold the lock.
  @inline(__always)
  func exchangeState(_ state: BucketState) {
    // Sequentially consistent: publishes the changes under the lock to the thread that locks the
    // bucket next, and orders them before this thread's next loads, as a completed write requires.
    // Also marks a bucket as migrated before any thread removes its entries from the next table.
    // So a reader that finds a removed entry here loaded the state before the mark. Pairs with the
    // load in `state` and the compare-exchange in `tryLock`.
    _ = words.pointee.exchange(state.bits, ordering: .sequentiallyConsistent)
  }
}
