import EpochReclamation
import Primitives

/// A table in one allocation: a head, the state of its migration on a separate cache line, and a
/// power of two of buckets, which the bucket of the zero key may follow. Full buckets have overflow
/// buckets.
struct BucketTable<Key: Hashable, Value>: Equatable {
  /// The fields that every operation reads.
  struct Head: ~Copyable {
    /// The number of buckets minus 1.
    let mask: UInt
    let seeds: HashSeeds
    let next = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  /// The fields that threads write while the buckets are migrated to the next table.
  struct Migration: ~Copyable {
    /// The number of chunks of groups that threads have begun. It continues beyond the number of
    /// chunks until all groups are done.
    let begun = Atomic<Int>(0)
    let done = Atomic<Int>(0)
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates an empty table; `size` is a power of two.
  init(size: Int, seeds: HashSeeds) {
    let buckets = size + (KeyCoding<Key>.hasZeroKey ? 1 : 0)
    // Zeros are free buckets, and the system zeroes memory page by page, so there is no long pause.
    memory = NodeMemory.allocateZeroed(
      byteCount: Self.bucketsOffset + buckets * Bucket.byteCount)
    memory.bindMemory(to: Head.self, capacity: 1).writing().initialize(
      to: Head(mask: UInt(bitPattern: size) - 1, seeds: seeds))
  }

  // Each part begins a cache line: readers keep theirs cached while others migrate.
  private static var migrationOffset: Int { 64 }
  private static var bucketsOffset: Int { 128 }

  var head: UnsafeMutablePointer<Head> {
    @inline(__always) get { memory.assumingMemoryBound(to: Head.self).reading() }
  }

  var migration: UnsafeMutablePointer<Migration> {
    (memory + Self.migrationOffset).assumingMemoryBound(to: Migration.self)
  }

  /// The number of buckets, not counting that of the zero key.
  var size: Int {
    @inline(__always) get { Int(bitPattern: head.pointee.mask &+ 1) }
  }

  /// The number of buckets, including that of the zero key.
  var bucketCount: Int { size + (KeyCoding<Key>.hasZeroKey ? 1 : 0) }

  /// The approximate size, without the overflow buckets.
  var byteCount: Int { bucketCount * Bucket.byteCount }

  @inline(__always)
  func bucket(_ index: Int) -> Bucket {
    Bucket(memory: memory + (Self.bucketsOffset + index &* Bucket.byteCount))
  }

  /// The table that receives the migrated buckets. Once set, it never changes.
  var next: BucketTable? {
    @inline(__always) get {
      // Sequentially consistent; pairs with the compare-exchange in `append`, which publishes the
      // table.
      guard let next = head.pointee.next.load(ordering: .sequentiallyConsistent) else {
        return nil
      }
      return BucketTable(memory: next)
    }
  }

  /// Sets the next table unless there is one; returns whether it did.
  func append(_ table: BucketTable) -> Bool {
    // Sequentially consistent: publishes the table.
    head.pointee.next.compareExchange(
      expected: nil, desired: table.memory, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Frees the table, but not its keys and values.
  func deallocate() {
    for index in 0..<bucketCount {
      var rest = bucket(index).next
      while let bucket = rest {
        rest = bucket.next
        bucket.deallocate()
      }
    }
    NodeMemory.deallocateZeroed(memory)
  }

  /// The place where a key belongs in a table.
  struct Probe {
    let bucket: Bucket
    /// The key's word or, if the key is in a node, its tag.
    let sought: UInt
  }

  @inline(__always)
  func probe(_ hashed: HashedKey<Key>) -> Probe {
    if KeyCoding<Key>.hasZeroKey && hashed.word == 0 {
      // The word of the zero key is 1 in its bucket, which contains no other key.
      return Probe(bucket: bucket(size), sought: 1)
    }
    let mixed = head.pointee.seeds.mix(hashed.hash)
    let sought = KeyCoding<Key>.fitsWord ? hashed.word : KeyCoding<Key>.tag(ofMixedHash: mixed)
    return Probe(bucket: bucket(Int(bitPattern: mixed & head.pointee.mask)), sought: sought)
  }

  /// Returns the word for a key that is inserted into the bucket of `probe`.
  func word(for key: Key, _ hashed: HashedKey<Key>, _ probe: Probe) -> UInt {
    if KeyCoding<Key>.fitsWord { return probe.sought }
    return KeyCoding<Key>.make(key, hashed, mixedHash: head.pointee.seeds.mix(hashed.hash))
  }

  /// Returns the hashed key of a word; `index` is that of its first bucket.
  func hashedKey(ofWord word: UInt, in index: Int) -> HashedKey<Key> {
    HashedKey(ofWord: index == size ? 0 : word)
  }

  /// Returns the key of a word; `index` is that of its first bucket.
  func key(ofWord word: UInt, in index: Int) -> Key {
    KeyCoding<Key>.key(index == size ? 0 : word)
  }

  /// Returns the slot of a key in one bucket, ignoring those behind it.
  @inline(__always)
  static func slot(
    of key: Key, _ hashed: HashedKey<Key>, _ sought: UInt, in bucket: Bucket
  ) -> Int? {
    if KeyCoding<Key>.isNumber {
      // Without a branch: the key is in a random slot, so a branch would be mispredicted.
      let slot = bucket.key(1) == sought ? 1 : bucket.key(2) == sought ? 2 : 0
      return bucket.key(slot) == sought ? slot : nil
    }
    for slot in 0..<Bucket.slotCount {
      if KeyCoding<Key>.matches(bucket.key(slot), sought, key, hash: hashed.hash) { return slot }
    }
    return nil
  }

  /// A slot of a bucket or of one behind it.
  struct Place {
    let bucket: Bucket
    let slot: Int
    let hasKey: Bool
  }

  /// Returns the slot of a key, or a free slot for it. The caller must hold the lock.
  @inline(__always)
  func place(of key: Key, _ hashed: HashedKey<Key>, _ probe: Probe) -> Place {
    if let slot = Self.slot(of: key, hashed, probe.sought, in: probe.bucket) {
      return Place(bucket: probe.bucket, slot: slot, hasKey: true)
    }
    return placeBehind(key, hashed, probe)
  }

  @inline(never)
  private func placeBehind(_ key: Key, _ hashed: HashedKey<Key>, _ probe: Probe) -> Place {
    var free = Self.freeSlot(of: probe.bucket).map { (probe.bucket, $0) }
    var last = probe.bucket
    while let bucket = last.next {
      if let slot = Self.slot(of: key, hashed, probe.sought, in: bucket) {
        return Place(bucket: bucket, slot: slot, hasKey: true)
      }
      if free == nil { free = Self.freeSlot(of: bucket).map { (bucket, $0) } }
      last = bucket
    }
    guard let (bucket, slot) = free else { return Self.freePlace(in: last) }
    return Place(bucket: bucket, slot: slot, hasKey: false)
  }

  private static func freeSlot(of bucket: Bucket) -> Int? {
    (0..<Bucket.slotCount).first { bucket.key($0) == 0 }
  }

  /// Returns a free slot of `bucket` or of one behind it; appends an overflow bucket if there is
  /// none.
  static func freePlace(in bucket: Bucket) -> Place {
    var bucket = bucket
    while true {
      if let slot = freeSlot(of: bucket) {
        return Place(bucket: bucket, slot: slot, hasKey: false)
      }
      if let next = bucket.next {
        bucket = next
      } else {
        let made = Bucket.make()
        bucket.append(made)
        return Place(bucket: made, slot: 0, hasKey: false)
      }
    }
  }

  // A migration group (`group`) consists of the buckets of both tables whose indices are equal
  // modulo the smaller size. The last group is that of the zero key, if there is one.

  /// Returns the indices of the buckets of this table in a group that is migrated to `next`.
  func indices(ofGroup group: Int, migratedTo next: BucketTable) -> StrideTo<Int> {
    let count = min(size, next.size)
    if group == count { return stride(from: size, to: size + 1, by: 1) }
    return stride(from: group, to: size, by: count)
  }

  /// Returns the indices of the buckets in `next` to which the keys of a bucket of this table
  /// belong.
  func successors(of index: Int, in next: BucketTable) -> StrideTo<Int> {
    if index == size { return stride(from: next.size, to: next.size + 1, by: 1) }
    return stride(from: index & (next.size - 1), to: next.size, by: size)
  }
}

extension BucketTable: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    BucketTable(memory: pointer).deallocate()
  }
}
