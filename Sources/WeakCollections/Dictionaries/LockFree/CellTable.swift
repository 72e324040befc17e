import EpochReclamation
import Primitives

/// The place of one key and its value in a table: two words, a quarter of a cache line.
///
/// All operations on the words are sequentially consistent: the argument of `LockFreeDictionary` is
/// about their single total order, and on x86 neither loads nor compare-exchanges cost more for it.
struct Cell: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<Cell>

  private let keyBits = Atomic<UInt>(0)
  private let valueBits = Atomic<UInt>(0)

  /// 0 while the cell is empty; see `KeyCoding`.
  var key: UInt {
    @inline(__always) get {
      // Sequentially consistent; pairs with `exchangeKey`, which publishes a key node.
      keyBits.load(ordering: .sequentiallyConsistent)
    }
  }

  var value: ValueWord {
    @inline(__always) get {
      // Sequentially consistent; pairs with `exchangeValue`, which publishes the memory that the
      // word points to.
      ValueWord(bits: valueBits.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Replaces the key word with `new` if it equals `old`; returns whether it did.
  @inline(__always)
  borrowing func exchangeKey(_ old: UInt, for new: UInt) -> Bool {
    // Sequentially consistent; pairs with the compare-exchange of `next` in `CellTable.append`:
    // - if this one comes first, every thread that knows of a next table finds the key here and
    //   closes its cell;
    // - if that one comes first, the load of `next` that follows this sees it, and no thread puts a
    //   value here.
    keyBits.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
      .exchanged
  }

  /// Replaces the value word with `new` if it equals `old`; returns whether it did.
  @inline(__always)
  borrowing func exchangeValue(_ old: ValueWord, for new: ValueWord) -> Bool {
    // Sequentially consistent: the linearization point of a write, the unlinking of the old value,
    // and the publication of the new one.
    valueBits.compareExchange(
      expected: old.bits, desired: new.bits, ordering: .sequentiallyConsistent
    ).exchanged
  }
}

/// A table in one allocation: a head, the state of its migration, a counter of reserved cells, and
/// a power of two of cells. Each of the first three has its own cache line.
///
/// Keys are found by linear probing, with four cells to a cache line. At most three quarters of the
/// cells ever get a key, so that every probe ends at an empty cell.
struct CellTable<Key: Hashable, Value>: Equatable {
  /// The fields that every operation reads.
  struct Head: ~Copyable {
    /// The capacity minus 1.
    let mask: UInt
    let seeds: HashSeeds
    /// The number of earlier tables that were replaced because a probe was long.
    let reseedings: Int
    let next = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  /// The fields that threads write while the cells are migrated to the next table.
  struct Moving: ~Copyable {
    /// The numbers of chunks that threads have begun and finished.
    let begun = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    /// The newest block of `KeptWords`.
    let kept = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates an empty table; `capacity` is a power of two.
  init(capacity: Int, seeds: HashSeeds, reseedings: Int = 0) {
    let cells = capacity + (KeyCoding<Key>.hasZeroKey ? 1 : 0)
    // Zeros are empty cells, and the system zeroes memory page by page, so there is no long pause.
    memory = NodeMemory.allocateZeroed(
      byteCount: Self.cellsOffset + cells * MemoryLayout<Cell>.stride)
    memory.bindMemory(to: Head.self, capacity: 1).writing().initialize(
      to: Head(mask: UInt(bitPattern: capacity) - 1, seeds: seeds, reseedings: reseedings))
  }

  // Each part begins a cache line: readers keep theirs cached while others insert or migrate.
  private static var movingOffset: Int { 64 }
  private static var reservedOffset: Int { 128 }
  private static var cellsOffset: Int { 192 }

  var head: UnsafeMutablePointer<Head> {
    @inline(__always) get { memory.assumingMemoryBound(to: Head.self).reading() }
  }

  var moving: UnsafeMutablePointer<Moving> {
    (memory + Self.movingOffset).assumingMemoryBound(to: Moving.self)
  }

  /// The number of cells that have a key, or are about to get one.
  private var reserved: UnsafeMutablePointer<Atomic<Int>> {
    (memory + Self.reservedOffset).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// The cells. The cell of the zero key may follow the last one.
  var cells: Cell.Pointer {
    @inline(__always) get { (memory + Self.cellsOffset).assumingMemoryBound(to: Cell.self) }
  }

  var capacity: Int {
    @inline(__always) get { Int(bitPattern: head.pointee.mask &+ 1) }
  }

  var cellCount: Int { capacity + (KeyCoding<Key>.hasZeroKey ? 1 : 0) }

  /// The approximate size, including the freeze buffers of the cells.
  var byteCount: Int {
    cellCount * (MemoryLayout<Cell>.stride + MemoryLayout<ValueWord>.stride)
  }

  /// Returns the number of cells that may get a key: three quarters.
  static func limit(ofCapacity capacity: Int) -> Int { max(1, capacity / 4 * 3) }

  /// The table that receives the migrated cells. Once set, it never changes.
  var next: CellTable? {
    @inline(__always) get {
      // Sequentially consistent; pairs with `Cell.exchangeKey`, which has the argument, and with
      // `append`.
      guard let next = head.pointee.next.load(ordering: .sequentiallyConsistent) else {
        return nil
      }
      return CellTable(memory: next)
    }
  }

  /// Sets the next table unless there is one; returns whether it did.
  func append(_ table: CellTable) -> Bool {
    // Sequentially consistent: publishes the table; pairs with `Cell.exchangeKey`, which has the
    // argument.
    head.pointee.next.compareExchange(
      expected: nil, desired: table.memory, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Reserves an empty cell; returns false if the table has as many keys as it may have.
  func reserve() -> Bool {
    // Relaxed, both: a bound on the number of times that `plant` succeeds, through which nothing is
    // read.
    let before = reserved.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
    if before < Self.limit(ofCapacity: capacity) { return true }
    unreserve()
    return false
  }

  func unreserve() {
    reserved.pointee.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Frees the table and its key nodes, but not the values.
  func deallocate() {
    for index in 0..<cellCount { KeyCoding<Key>.destroy((cells + index).pointee.key) }
    KeptWords.deallocateBlocks(of: moving.pointee.kept)
    NodeMemory.deallocateZeroed(memory)
  }

  /// The end of a probe for a key: the key's cell, or the empty cell that it may claim.
  struct Place {
    let cell: Cell.Pointer
    let hasKey: Bool
  }

  /// Finds the cell of `key`.
  ///
  /// Terminates, because at most three quarters of the cells ever get a key.
  @inline(__always)
  func find(_ key: Key, _ print: Fingerprint<Key>) -> Place {
    if KeyCoding<Key>.hasZeroKey && print.word == 0 {
      return Place(cell: cells + capacity, hasKey: true)
    }
    let mixed = head.pointee.seeds.mix(print.hash)
    let sought = KeyCoding<Key>.fitsWord ? print.word : KeyCoding<Key>.tag(ofMixedHash: mixed)
    let mask = head.pointee.mask
    var index = mixed & mask
    while true {
      let cell = cells + Int(bitPattern: index)
      let word = cell.pointee.key
      if KeyCoding<Key>.matches(word, sought, key, hash: print.hash) {
        return Place(cell: cell, hasKey: true)
      }
      if word == 0 { return Place(cell: cell, hasKey: false) }
      index = (index &+ 1) & mask
    }
  }

  /// Claims the empty cell where the probe for `key` ended; returns false if another thread has
  /// claimed it for this or another key.
  func plant(_ key: Key, _ print: Fingerprint<Key>, in cell: Cell.Pointer) -> Bool {
    precondition(key == key, "a key is not equal to itself, like Double.nan; use reflexive keys")
    let word = KeyCoding<Key>.make(
      key, print, mixedHash: head.pointee.seeds.mix(print.hash))
    if cell.pointee.exchangeKey(0, for: word) { return true }
    CurrentThread.noteFailedExchange()
    // Not the last reference: the caller has the key, or the node that this one was copied from has
    // it.
    KeyCoding<Key>.destroy(word)
    return false
  }

  /// Returns the cell where the probe for a key begins.
  func firstCell(for print: Fingerprint<Key>) -> Cell.Pointer {
    cells + (Int(bitPattern: head.pointee.seeds.mix(print.hash)) & (capacity &- 1))
  }

  /// Returns the distance of `cell` from the cell where the probe for a key begins.
  func distance(of cell: Cell.Pointer, _ print: Fingerprint<Key>) -> Int {
    let mixed = head.pointee.seeds.mix(print.hash)
    return (cell - cells) &- Int(bitPattern: mixed) & (capacity &- 1)
  }

  /// The distance from which a probe counts as long. By chance alone such a probe is exponentially
  /// unlikely at three quarters.
  var longDistance: Int { 64 + 16 * (Int.bitWidth - capacity.leadingZeroBitCount) }

  /// Traps if a value near `cell` has no key, or if a small table has no empty cell.
  ///
  /// Does nothing without the trait `InternalChecks`. Checks only some cells, because checking all
  /// of a large table after each change would take too long.
  func checkInvariants(around cell: Cell.Pointer) {
    #if InternalChecks
      let first = cell - cells
      var keys = 0
      for offset in 0..<min(capacity, 64) {
        let nearby = cells + ((first + offset) & (capacity - 1))
        // The value first: it arrives after the key.
        let value = nearby.pointee.value
        let key = nearby.pointee.key
        precondition(value == .untouched || key != 0, "a cell near \(first) has a value but no key")
        keys += key == 0 ? 0 : 1
      }
      precondition(keys < capacity, "all \(capacity) cells have keys: a probe never ends")
    #endif
  }
}

extension CellTable: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    CellTable(memory: pointer).deallocate()
  }
}

/// A freeze buffer: keeps the value words of frozen cells until the cells are migrated. Its blocks
/// belong to the table and are freed with it, because readers may access them as long as the table.
///
/// One thread fills a block. It writes a word before the compare-exchange that freezes the cell,
/// which publishes the word. The word does not change afterwards.
struct KeptWords {
  private struct Block {
    let older: UnsafeMutableRawPointer?
  }

  /// The number of words of the next block.
  private let capacity: Int
  private var free: UnsafeMutablePointer<ValueWord>?
  private var freeCount = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: The number of words of each block. Blocks are allocated on demand.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns a frozen word that refers to a copy of `word`. Until `take` is called, the next call
  /// uses the same memory.
  mutating func frozen<Key, Value>(
    _ word: ValueWord, in table: CellTable<Key, Value>
  ) -> ValueWord {
    if freeCount == 0 { addBlock(to: table.moving.pointee.kept) }
    let place = free.unsafelyUnwrapped
    place.writing().initialize(to: word)
    return ValueWord(.frozen, place)
  }

  /// Keeps the memory of the last frozen word, which is in a cell now.
  mutating func take() {
    free = free.unsafelyUnwrapped + 1
    freeCount -= 1
  }

  private mutating func addBlock(to newest: borrowing Atomic<UnsafeMutableRawPointer?>) {
    let memory = NodeMemory.allocate(
      byteCount: MemoryLayout<Block>.stride + capacity * MemoryLayout<ValueWord>.stride,
      alignment: MemoryLayout<UInt>.alignment)
    let block = memory.bindMemory(to: Block.self, capacity: 1)
    // Relaxed: nothing is read through it, and the compare-exchange below checks that it is
    // current.
    var older = newest.load(ordering: .relaxed)
    while true {
      block.writing().initialize(to: Block(older: older))
      // Sequentially consistent, on a rare path: the thread that frees the table sees all blocks.
      let (done, current) = newest.compareExchange(
        expected: older, desired: memory, ordering: .sequentiallyConsistent)
      if done { break }
      older = current
    }
    free = (memory + MemoryLayout<Block>.stride)
      .bindMemory(to: ValueWord.self, capacity: capacity)
    freeCount = capacity
  }

  static func deallocateBlocks(of newest: borrowing Atomic<UnsafeMutableRawPointer?>) {
    // Acquiring: pairs with the compare-exchange in `addBlock`.
    var next = newest.load(ordering: .acquiring)
    while let memory = next {
      next = memory.assumingMemoryBound(to: Block.self).reading().pointee.older
      NodeMemory.deallocate(memory)
    }
  }
}
