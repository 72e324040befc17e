import EpochReclamation
import Primitives

/// One generation of a lock-free dictionary: a power of two of buckets, each the head of a chain.
///
/// One allocation: the header, then the buckets. A bucket is one word: the chain's first node, plus 1
/// once frozen, after which it never changes again. A table owns the nodes of its chains.
struct BucketTable<Key: Hashable, Value>: Equatable {
  typealias Node = ChainNode<Key, Value>

  private struct Header {
    let count: Int
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  init(bucketCount: Int) {
    precondition(bucketCount & (bucketCount - 1) == 0, "the number of buckets is a power of two")
    memory = NodeMemory.allocate(
      byteCount: MemoryLayout<Header>.stride + bucketCount * MemoryLayout<Bucket>.stride,
      alignment: MemoryLayout<Header>.alignment)
    memory.bindMemory(to: Header.self, capacity: 1).writing()
      .initialize(to: Header(count: bucketCount))
    let buckets = (memory + MemoryLayout<Header>.stride)
      .bindMemory(to: Bucket.self, capacity: bucketCount)
    for index in 0..<bucketCount { (buckets + index).initialize(to: Bucket()) }
  }

  var bucketCount: Int { memory.assumingMemoryBound(to: Header.self).reading().pointee.count }

  func bucket(forHash hash: Int) -> UnsafeMutablePointer<Bucket> {
    bucket(at: hash & (bucketCount - 1))
  }

  func bucket(at index: Int) -> UnsafeMutablePointer<Bucket> {
    (memory + MemoryLayout<Header>.stride).assumingMemoryBound(to: Bucket.self) + index
  }

  /// Visits the nodes of every bucket, each bucket as it is when its turn comes.
  func forEachNode(_ body: (Node.Pointer) -> Void) {
    for index in 0..<bucketCount {
      Node.forEach(from: bucket(at: index).pointee.load().first, body)
    }
  }

  /// Gives back the table with its chains.
  func destroy() {
    for index in 0..<bucketCount {
      Node.destroy(from: bucket(at: index).pointee.load().first)
    }
    NodeMemory.deallocate(memory)
  }

  /// The head of one chain.
  struct Bucket: ~Copyable {
    private let word = Atomic<UInt>(0)

    struct State {
      fileprivate let word: UInt
      var isFrozen: Bool { word & 1 != 0 }
      var first: Node.Pointer? { Node.Pointer(bitPattern: word & ~1) }
    }

    borrowing func load() -> State {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with `exchange`,
      // which publishes the chain.
      State(word: word.load(ordering: .sequentiallyConsistent))
    }

    /// Makes `chain` the chain if the bucket is still as in `state`, which is not frozen.
    borrowing func exchange(_ state: State, for chain: Node.Pointer?) -> Bool {
      // Sequentially consistent: the linearization point of a write, the unlinking of what it replaces,
      // and the publication of the chain. Pairs with `freeze`:
      // - if this comes first, the frozen chain has the write;
      // - if the freeze comes first, this fails, and the write goes to a later table.
      word.compareExchange(
        expected: state.word, desired: UInt(bitPattern: chain), ordering: .sequentiallyConsistent
      ).exchanged
    }

    /// Ends all changes; returns the final chain.
    borrowing func freeze() -> Node.Pointer? {
      // Sequentially consistent; partner named in `exchange`.
      State(word: word.bitwiseOr(1, ordering: .sequentiallyConsistent).newValue).first
    }

    /// Adds `node` to a bucket that only the caller can reach.
    borrowing func prepend(_ node: Node.Pointer) {
      // Relaxed, both: the table is published later, by the exchange of the root.
      node.writing().pointee.next = State(word: word.load(ordering: .relaxed)).first
      word.store(UInt(bitPattern: node), ordering: .relaxed)
    }
  }
}

extension BucketTable: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    BucketTable(memory: pointer).destroy()
  }
}

extension ChainNode: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    destroy(pointer.assumingMemoryBound(to: ChainNode.self))
  }
}
