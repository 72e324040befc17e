import EpochReclamation
import Primitives

/// One allocation: a head, what moving and inserting need, each apart, and a power of two of cells.
///
/// Keys are found by linear probing, four cells to a cache line. At most three quarters of the cells
/// ever get a key, so that every probe ends at an empty one.
struct CellTable<Key: Hashable, Value>: Equatable {
  /// Read by every operation.
  struct Head: ~Copyable {
    /// The capacity less one.
    let mask: UInt
    let seeds: HashSeeds
    /// How many tables before this one were replaced because a probe was long.
    let reseedings: Int
    let next = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  /// Written while the cells are moved to the next table.
  struct Moving: ~Copyable {
    /// Chunks begun and chunks done.
    let begun = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    /// The newest block of `KeptWords`.
    let kept = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// An empty table; `capacity` is a power of two.
  init(capacity: Int, seeds: HashSeeds, reseedings: Int = 0) {
    let cells = capacity + (KeyCoding<Key>.hasZeroKey ? 1 : 0)
    // Zeros are empty cells, and the system gives zeros page by page: no pause for all of them at once.
    memory = NodeMemory.allocateZeroed(
      byteCount: Self.cellsOffset + cells * MemoryLayout<Cell>.stride)
    memory.bindMemory(to: Head.self, capacity: 1).writing().initialize(
      to: Head(mask: UInt(bitPattern: capacity) - 1, seeds: seeds, reseedings: reseedings))
  }

  // Each part begins a cache line of its own: readers keep theirs while others insert or move.
  private static var movingOffset: Int { 64 }
  private static var reservedOffset: Int { 128 }
  private static var cellsOffset: Int { 192 }

  var head: UnsafeMutablePointer<Head> {
    @inline(__always) get { memory.assumingMemoryBound(to: Head.self).reading() }
  }

  var moving: UnsafeMutablePointer<Moving> {
    (memory + Self.movingOffset).assumingMemoryBound(to: Moving.self)
  }

  /// How many cells have got a key, or are about to.
  private var reserved: UnsafeMutablePointer<Atomic<Int>> {
    (memory + Self.reservedOffset).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// Behind the last one may be the cell of the zero key.
  var cells: Cell.Pointer {
    @inline(__always) get { (memory + Self.cellsOffset).assumingMemoryBound(to: Cell.self) }
  }

  var capacity: Int {
    @inline(__always) get { Int(bitPattern: head.pointee.mask &+ 1) }
  }

  var cellCount: Int { capacity + (KeyCoding<Key>.hasZeroKey ? 1 : 0) }

  /// About how much memory it is, with what was kept of its cells when they were moved.
  var byteCount: Int {
    cellCount * (MemoryLayout<Cell>.stride + MemoryLayout<ValueWord>.stride)
  }

  /// The cells that may get a key: three quarters.
  static func limit(ofCapacity capacity: Int) -> Int { max(1, capacity / 4 * 3) }

  /// The table that cells are moved to; it never changes again.
  var next: CellTable? {
    @inline(__always) get {
      // Sequentially consistent; pairs with `Cell.exchangeKey`, argued there, and with `append`.
      guard let next = head.pointee.next.load(ordering: .sequentiallyConsistent) else {
        return nil
      }
      return CellTable(memory: next)
    }
  }

  /// Makes `table` the next one, unless there is one.
  func append(_ table: CellTable) -> Bool {
    // Sequentially consistent: publishes the table; pairs with `Cell.exchangeKey`, argued there.
    head.pointee.next.compareExchange(
      expected: nil, desired: table.memory, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Reserves an empty cell; false when the table has got all keys that it may.
  func reserve() -> Bool {
    // Relaxed, both: a bound on how often `plant` may succeed, through which nothing is read.
    let before = reserved.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
    if before < Self.limit(ofCapacity: capacity) { return true }
    unreserve()
    return false
  }

  func unreserve() {
    reserved.pointee.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Gives back the table, with its key nodes, but not what its value words own.
  func deallocate() {
    for index in 0..<cellCount { KeyCoding<Key>.destroy((cells + index).pointee.key) }
    KeptWords.deallocateBlocks(of: moving.pointee.kept)
    NodeMemory.deallocateZeroed(memory)
  }
}

extension CellTable: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    CellTable(memory: pointer).deallocate()
  }
}
