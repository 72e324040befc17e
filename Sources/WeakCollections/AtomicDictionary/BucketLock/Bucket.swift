import Primitives

/// One cache line of a table: a state, three keys, three values, and a pointer to a bucket more.
///
/// Slot *i* is key *i* with value *i*; its key is 0 while it is free. A bucket behind another one has
/// the same layout, but its state is not used: the first one's is that of all.
struct Bucket: Equatable {
  static var slotCount: Int { 3 }
  static var byteCount: Int { 64 }

  let words: UnsafeMutablePointer<Atomic<UInt>>

  @inline(__always)
  init(memory: UnsafeMutableRawPointer) {
    words = memory.assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// A free bucket behind another one.
  static func make() -> Bucket {
    // Zeros are free slots.
    Bucket(memory: NodeMemory.allocateZeroed(byteCount: byteCount))
  }

  func deallocate() {
    NodeMemory.deallocateZeroed(words)
  }

  var address: UnsafeRawPointer { UnsafeRawPointer(words) }

  /// 0 while the slot is free; see `KeyCoding`.
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

  /// The bucket behind this one.
  var next: Bucket? {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with `append`.
      let bits = (words + 7).pointee.load(ordering: .sequentiallyConsistent)
      return UnsafeMutableRawPointer(bitPattern: bits).map { Bucket(memory: $0) }
    }
  }

  /// This bucket and those behind it.
  var all: some Sequence<Bucket> { sequence(first: self) { $0.next } }

  // What follows is for whoever has the lock.

  /// Puts a key into a slot, or 0; `unlinks` if memory is let go that was found through it.
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

  /// Puts a value into a slot; `unlinks` if memory is let go that was found through the one before.
  @inline(__always)
  func setValue(_ word: ValueWord, _ slot: Int, unlinks: Bool = false) {
    let place = words + 4 + slot
    if unlinks {
      // Sequentially consistent: an unlinking, see `EpochDomain.retire`.
      _ = place.pointee.exchange(word.bits, ordering: .sequentiallyConsistent)
    } else {
      // Releasing: publishes what the word points to; who reads it sees the version raised before.
      place.pointee.store(word.bits, ordering: .releasing)
    }
  }

  func append(_ bucket: Bucket) {
    // Releasing: publishes the bucket.
    (words + 7).pointee.store(UInt(bitPattern: bucket.words), ordering: .releasing)
  }
}
