import EpochReclamation
import Primitives

/// One allocation: a head, what moving needs, apart, and a power of two of buckets; behind them may be
/// the one of the zero key. Further buckets hang on those that are full.
struct BucketTable<Key: Hashable, Value>: Equatable {
  /// Read by every operation.
  struct Head: ~Copyable {
    /// The number of buckets less one.
    let mask: UInt
    let seeds: HashSeeds
    let next = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  /// Written while the buckets are moved to the next table.
  struct Moving: ~Copyable {
    /// Chunks of units begun, again and again until all units are done.
    let begun = Atomic<Int>(0)
    let done = Atomic<Int>(0)
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// An empty table; `size` is a power of two.
  init(size: Int, seeds: HashSeeds) {
    let buckets = size + (KeyCoding<Key>.hasZeroKey ? 1 : 0)
    // Zeros are free buckets, and the system gives zeros page by page: no pause for all of them at once.
    memory = NodeMemory.allocateZeroed(
      byteCount: Self.bucketsOffset + buckets * Bucket.byteCount)
    memory.bindMemory(to: Head.self, capacity: 1).writing().initialize(
      to: Head(mask: UInt(bitPattern: size) - 1, seeds: seeds))
  }

  // Each part begins a cache line of its own: readers keep theirs while others move.
  private static var movingOffset: Int { 64 }
  private static var bucketsOffset: Int { 128 }

  var head: UnsafeMutablePointer<Head> {
    @inline(__always) get { memory.assumingMemoryBound(to: Head.self).reading() }
  }

  var moving: UnsafeMutablePointer<Moving> {
    (memory + Self.movingOffset).assumingMemoryBound(to: Moving.self)
  }

  /// How many buckets there are, without that of the zero key.
  var size: Int {
    @inline(__always) get { Int(bitPattern: head.pointee.mask &+ 1) }
  }

  /// How many there are with it.
  var bucketCount: Int { size + (KeyCoding<Key>.hasZeroKey ? 1 : 0) }

  /// About how much memory it is, without the buckets that hang on others.
  var byteCount: Int { bucketCount * Bucket.byteCount }

  @inline(__always)
  func bucket(_ index: Int) -> Bucket {
    Bucket(memory: memory + (Self.bucketsOffset + index &* Bucket.byteCount))
  }

  /// The table that buckets are moved to; it never changes again.
  var next: BucketTable? {
    @inline(__always) get {
      // Sequentially consistent; pairs with the exchange in `append`, which publishes the table.
      guard let next = head.pointee.next.load(ordering: .sequentiallyConsistent) else {
        return nil
      }
      return BucketTable(memory: next)
    }
  }

  /// Makes `table` the next one, unless there is one.
  func append(_ table: BucketTable) -> Bool {
    // Sequentially consistent: publishes the table.
    head.pointee.next.compareExchange(
      expected: nil, desired: table.memory, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Gives back the table, but not what the words in it own.
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
}

extension BucketTable: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    BucketTable(memory: pointer).deallocate()
  }
}
