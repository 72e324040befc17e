import CShims
import EpochReclamation
import Primitives

/// The place of one key and its value in a table: two words of one cache line.
///
/// All operations on the words are sequentially consistent: the argument of `LockFreeDictionary` is
/// about their single total order, and on x86 neither loads nor compare-exchanges cost more for it.
struct Cell: Equatable {
  private let words: UnsafeMutablePointer<Atomic<UInt>>

  /// The number of cells in a line: four key words, and behind them four value words.
  static var perLine: Int { 4 }
  static var lineByteCount: Int { 64 }

  @inline(__always)
  init(lane: Int, ofLineAt line: UnsafeMutableRawPointer) {
    words = line.assumingMemoryBound(to: Atomic<UInt>.self) + lane
  }

  private var keyBits: UnsafeMutablePointer<Atomic<UInt>> {
    @inline(__always) get { words }
  }

  private var valueBits: UnsafeMutablePointer<Atomic<UInt>> {
    @inline(__always) get { words + Self.perLine }
  }

  /// The first byte, which is in the line of both words.
  var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(words) }

  /// 0 while the cell is empty; see `KeyCoding`.
  var key: UInt {
    @inline(__always) get {
      // Sequentially consistent; pairs with `replaceKey`, which publishes a key node.
      keyBits.pointee.load(ordering: .sequentiallyConsistent)
    }
  }

  var value: ValueWord {
    @inline(__always) get {
      // Sequentially consistent; pairs with `replaceValue`, which publishes the memory that the
      // word points to.
      ValueWord(bits: valueBits.pointee.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Replaces the key word with `new` if it equals `old`; returns whether it did.
  @inline(__always)
  func replaceKey(_ old: UInt, with new: UInt) -> Bool {
    // Sequentially consistent; pairs with the compare-exchange of `next` in `CellTable.append`:
    // - If the key comes first, every thread that loads the next table finds the key here, and
    //   changes the value word to `migrated` or `frozen` before it writes the key elsewhere.
    // - If `next` comes first, every thread that finds the key here and then loads `next` sees the
    //   next table, and puts no value here.
    keyBits.pointee.compareExchange(
      expected: old, desired: new, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Replaces the value word with `new` if it equals `old`; returns whether it did.
  @inline(__always)
  func replaceValue(_ old: ValueWord, with new: ValueWord) -> Bool {
    // Sequentially consistent: the linearization point of a write, the unlinking of the old value,
    // and the publication of the new one.
    valueBits.pointee.compareExchange(
      expected: old.bits, desired: new.bits, ordering: .sequentiallyConsistent
    ).exchanged
  }
}

/// A table in one allocation: a head, the state of its migration, a counter of reserved cells,
/// lines of cells, and a bit for each chunk of cells. Each of the first three has its own cache
/// line, as has each line of cells:
///
///     | head | migration | reserved | k0 k1 k2 k3 v0 v1 v2 v3 | k4 k5 k6 k7 v4 … | … | bits
///
/// The hash of a key selects a line, and the key claims the first empty cell from there on. A probe
/// compares the four keys of a line without a branch for each: a processor mispredicts most of the
/// branches of a probe that compares key by key. At most seven eighths of the cells ever get a key,
/// so that every probe ends at an empty cell. The cell of the zero key (see `KeyCoding`), if there
/// is one, is in a line of its own behind the last one.
struct CellTable<Key: Hashable, Value>: Equatable {
  /// The fields that every operation reads.
  struct Head: ~Copyable {
    let lineCount: UInt
    /// The largest number of cells that may get a key.
    let limit: Int
    let seeds: HashSeeds
    /// The number of earlier tables that were replaced because a probe was long.
    let reseedings: Int
    let next = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  /// The fields that threads write while the cells are migrated to the next table.
  struct Migration: ~Copyable {
    /// The number of calls of `migrateSome`. Each of the first `chunkCount` calls begins one chunk;
    /// later calls may begin an unfinished chunk again.
    let begun = Atomic<Int>(0)
    /// The newest block of `FreezeBuffer`.
    let freezeBlocks = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - capacity: The number of cells: a multiple of four, or less than four. A table has at least
  ///     four cells, but uses no more than `capacity`. A large table has slightly fewer cells.
  ///   - seeds: The seeds of its hash function.
  ///   - reseedings: The number of earlier tables that were replaced because a probe was long.
  init(capacity: Int, seeds: HashSeeds, reseedings: Int = 0) {
    var lines = max(1, capacity / Cell.perLine)
    // The head and the bits take the place of some lines. Otherwise a table of 2ⁿ cells would be
    // slightly larger than a size class of the allocator, and take the next one.
    if lines >= 64 { lines -= 7 + lines / 16_384 }
    let limit = max(1, min(capacity, lines * Cell.perLine) * 7 / 8)
    let cells = lines * Cell.perLine + (KeyCoding<Key>.hasZeroKey ? 1 : 0)
    // Zeros are empty cells, and the system zeroes memory page by page, so there is no long pause.
    memory = NodeMemory.allocateZeroed(
      byteCount: Self.bitsOffset(ofCells: cells) + Self.bitWordCount(ofCells: cells) * 8)
    memory.bindMemory(to: Head.self, capacity: 1).writing().initialize(
      to: Head(
        lineCount: UInt(bitPattern: lines), limit: limit, seeds: seeds, reseedings: reseedings))
  }

  // Each part begins a cache line: readers keep theirs cached while others insert or migrate.
  private static var migrationOffset: Int { 64 }
  private static var reservedOffset: Int { 128 }
  private static var cellsOffset: Int { 192 }

  private static func bitsOffset(ofCells count: Int) -> Int {
    cellsOffset + (count + Cell.perLine - 1) / Cell.perLine * Cell.lineByteCount
  }

  private static func bitWordCount(ofCells count: Int) -> Int {
    (chunkCount(ofCells: count) + UInt.bitWidth - 1) / UInt.bitWidth
  }

  private static func chunk(ofCells count: Int) -> Int {
    // A small table under a managed scheduler should have several chunks too.
    ManagedScheduler.isCompiledIn && count < 64 ? 4 : 128
  }

  /// The number of cells that a thread migrates at a time.
  var chunk: Int { Self.chunk(ofCells: cellCount) }

  private static func chunkCount(ofCells count: Int) -> Int {
    let chunk = chunk(ofCells: count)
    return (count + chunk - 1) / chunk
  }

  var chunkCount: Int { Self.chunkCount(ofCells: cellCount) }

  var head: UnsafeMutablePointer<Head> {
    @inline(__always) get { memory.assumingMemoryBound(to: Head.self).reading() }
  }

  var migration: UnsafeMutablePointer<Migration> {
    (memory + Self.migrationOffset).assumingMemoryBound(to: Migration.self)
  }

  /// The number of cells that have a key, or are about to get one.
  private var reserved: UnsafeMutablePointer<Atomic<Int>> {
    (memory + Self.reservedOffset).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// The lines of cells. The line of the zero key may follow the last one.
  private var lines: UnsafeMutableRawPointer {
    @inline(__always) get { memory + Self.cellsOffset }
  }

  private func chunkBits(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    (memory + Self.bitsOffset(ofCells: cellCount)).assumingMemoryBound(to: Atomic<UInt>.self)
      + index
  }

  /// Records that the cells of a chunk are migrated; returns whether those of all chunks now are.
  ///
  /// Two threads that record the last chunks of two words of bits at the same time may both get
  /// false. Then a later writer, which finds no unfinished chunk, ends the migration.
  func noteMigrated(chunk number: Int) -> Bool {
    let (index, bit) = number.quotientAndRemainder(dividingBy: UInt.bitWidth)
    // Releasing: pairs with the load in `bitsOfUnfinishedChunks`.
    chunkBits(index).pointee.bitwiseOr(1 << bit, ordering: .releasing)
    return unfinishedChunk(from: number) == nil
  }

  /// Returns a chunk that is not migrated, if there is one: the first one of `start` and the chunks
  /// behind it in the same word of bits, or else any.
  func unfinishedChunk(from start: Int) -> Int? {
    let wordCount = Self.bitWordCount(ofCells: cellCount)
    let (first, bit) = start.quotientAndRemainder(dividingBy: UInt.bitWidth)
    for offset in 0..<wordCount {
      let index = (first + offset) % wordCount
      let unfinished = bitsOfUnfinishedChunks(inWord: index)
      if unfinished == 0 { continue }
      let behind = unfinished & UInt.max << bit
      return index * UInt.bitWidth + (behind == 0 ? unfinished : behind).trailingZeroBitCount
    }
    return nil
  }

  /// Returns the bits of one word whose chunks are not migrated.
  private func bitsOfUnfinishedChunks(inWord index: Int) -> UInt {
    let chunks = UInt.max >> max(0, (index + 1) * UInt.bitWidth - chunkCount)
    // Acquiring: pairs with the update in `noteMigrated`. Every such update continues the release
    // sequences of those before it. So the migration of all chunks whose bits are set happens
    // before the caller's next step.
    return chunks & ~chunkBits(index).pointee.load(ordering: .acquiring)
  }

  /// Returns a cell; the index of the zero key's cell is `capacity`.
  @inline(__always)
  func cell(at index: Int) -> Cell {
    Cell(
      lane: index % Cell.perLine, ofLineAt: lines + index / Cell.perLine * Cell.lineByteCount)
  }

  private func index(of cell: Cell) -> Int {
    let offset = cell.address - lines
    return offset / Cell.lineByteCount * Cell.perLine
      + offset % Cell.lineByteCount / MemoryLayout<UInt>.stride
  }

  var capacity: Int { Int(bitPattern: head.pointee.lineCount) * Cell.perLine }

  var cellCount: Int { capacity + (KeyCoding<Key>.hasZeroKey ? 1 : 0) }

  /// The cell of the key whose word is 0. It is never empty.
  func isZeroKeyCell(_ cell: Cell) -> Bool {
    KeyCoding<Key>.hasZeroKey && cell == self.cell(at: capacity)
  }

  /// The approximate size, including the freeze buffers of the cells.
  var byteCount: Int {
    cellCount * (Cell.lineByteCount / Cell.perLine + MemoryLayout<ValueWord>.stride)
  }

  /// The table that receives the migrated cells. Once set, it never changes.
  var next: CellTable? {
    @inline(__always) get {
      // Sequentially consistent; pairs with `Cell.replaceKey`, which has the argument, and with
      // `append`.
      guard let next = head.pointee.next.load(ordering: .sequentiallyConsistent) else {
        return nil
      }
      return CellTable(memory: next)
    }
  }

  /// Sets the next table unless there is one; returns whether it did.
  func append(_ table: CellTable) -> Bool {
    // Sequentially consistent: publishes the table; pairs with `Cell.replaceKey`, which has the
    // argument.
    head.pointee.next.compareExchange(
      expected: nil, desired: table.memory, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Writes to the pages that will contain the keys of some cells of an earlier table. A page of
  /// zeros that is read before it is written costs a second page fault, which also interrupts the
  /// other processors. Writes to a few pages only: a table that is much larger than the earlier one
  /// gets few keys from it.
  ///
  /// - Parameters:
  ///   - cells: The cells.
  ///   - capacity: The capacity of the earlier table. With its seeds, the keys are in the same
  ///     fraction of this table. Otherwise they are anywhere, in all its pages.
  func touchPages(ofCells cells: Range<Int>, outOf capacity: Int) {
    if ManagedScheduler.isCompiledIn || self.capacity > 4 * capacity { return }
    let lineCount = self.capacity / Cell.perLine
    let first = cells.lowerBound * lineCount / capacity
    let last = min(cells.upperBound * lineCount / capacity, lineCount - 1)
    for index in stride(from: last, through: first, by: -Self.linesPerPage) {
      // Changes nothing. The compiler does not remove it, as it would an addition of zero.
      _ = cell(at: index * Cell.perLine).replaceKey(0, with: 0)
    }
  }

  /// The number of lines in the smallest page of any supported processor.
  private static var linesPerPage: Int { 4096 / Cell.lineByteCount }

  /// Reserves an empty cell; returns false if the table has as many keys as it may have.
  func reserve() -> Bool {
    // Relaxed, both: the counter only bounds the number of claimed cells, and publishes no other
    // memory.
    let before = reserved.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
    if before < head.pointee.limit { return true }
    unreserve()
    return false
  }

  func unreserve() {
    reserved.pointee.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Frees the table and its key nodes, but not the values.
  func deallocate() {
    if !KeyCoding<Key>.fitsWord {
      for index in 0..<cellCount { KeyCoding<Key>.destroy(cell(at: index).key) }
    }
    FreezeBuffer.deallocateBlocks(of: migration.pointee.freezeBlocks)
    NodeMemory.deallocateZeroed(memory)
  }

  /// The end of a probe for a key: the key's cell, or the empty cell that it may claim.
  struct Place {
    let cell: Cell
    let hasKey: Bool
  }

  /// Finds the cell of `key`.
  ///
  /// Terminates, because at most seven eighths of the cells ever get a key.
  @inline(__always)
  func find(_ key: Key, _ hashed: HashedKey<Key>) -> Place {
    if KeyCoding<Key>.hasZeroKey && hashed.word == 0 {
      return Place(cell: cell(at: capacity), hasKey: true)
    }
    let mixed = head.pointee.seeds.mix(hashed.hash)
    let sought = KeyCoding<Key>.fitsWord ? hashed.word : KeyCoding<Key>.tag(ofMixedHash: mixed)
    var index = homeLine(ofMixedHash: mixed)
    while true {
      let line = lines + Int(bitPattern: index) &* Cell.lineByteCount
      if let place = place(of: key, sought, hash: hashed.hash, inLineAt: line) { return place }
      index = index &+ 1 == head.pointee.lineCount ? 0 : index &+ 1
    }
  }

  /// Returns the cell of a number, and its value word, if it is in the first line of the probe, as
  /// nearly all are. A nil says only that the caller must use `find`.
  @inline(__always)
  func findInHomeLine(_ hashed: HashedKey<Key>) -> (cell: Cell, value: ValueWord)? {
    Self.find(hashed, inLineAt: homeLine(for: hashed))
  }

  /// Returns the cell of a number in a line, and its value word.
  ///
  /// The value is loaded before the key. A value arrives after its key, and a key changes only
  /// once, from 0. So a value word other than `untouched` is that of the key which is loaded
  /// afterwards; and the cell that is empty afterwards, for the number 0, was `untouched`.
  @inline(__always)
  static func find(
    _ hashed: HashedKey<Key>, inLineAt line: UnsafeMutableRawPointer
  ) -> (cell: Cell, value: ValueWord)? {
    let guess = cws_guess_word(line - cellsOffset, cellsOffset, hashed.word)
    let place = UnsafeMutableRawPointer(mutating: guess.unsafelyUnwrapped) + cellsOffset
    let cell = Cell(lane: 0, ofLineAt: place)
    let value = cell.value
    return cell.key == hashed.word ? (cell, value) : nil
  }

  /// Returns the line where the probe for a key begins.
  @inline(__always)
  func homeLine(for hashed: HashedKey<Key>) -> UnsafeMutableRawPointer {
    let index = homeLine(ofMixedHash: head.pointee.seeds.mix(hashed.hash))
    return lines + Int(bitPattern: index) &* Cell.lineByteCount
  }

  /// Returns the index of the line where the probe for a key begins.
  @inline(__always)
  private func homeLine(ofMixedHash mixed: UInt) -> UInt {
    mixed.multipliedFullWidth(by: head.pointee.lineCount).high
  }

  /// Returns the end of the probe if it is in this line.
  ///
  /// Loads the keys in the order of the cells, and a key claims only the first empty cell of its
  /// probe. So if this finds an empty cell and not the key, no cell of the line had the key when
  /// this loaded the first empty one.
  @inline(__always)
  private func place(
    of key: Key, _ sought: UInt, hash: UInt, inLineAt line: UnsafeMutableRawPointer
  ) -> Place? {
    let cells = (
      Cell(lane: 0, ofLineAt: line), Cell(lane: 1, ofLineAt: line), Cell(lane: 2, ofLineAt: line),
      Cell(lane: 3, ofLineAt: line)
    )
    let words = (cells.0.key, cells.1.key, cells.2.key, cells.3.key)
    if KeyCoding<Key>.isNumber {
      let same = Self.mask(of: words) { $0 == sought }
      if same != 0 {
        return Place(cell: Cell(lane: same.trailingZeroBitCount, ofLineAt: line), hasKey: true)
      }
    } else {
      if KeyCoding<Key>.matches(words.0, sought, key, hash: hash) {
        return Place(cell: cells.0, hasKey: true)
      }
      if KeyCoding<Key>.matches(words.1, sought, key, hash: hash) {
        return Place(cell: cells.1, hasKey: true)
      }
      if KeyCoding<Key>.matches(words.2, sought, key, hash: hash) {
        return Place(cell: cells.2, hasKey: true)
      }
      if KeyCoding<Key>.matches(words.3, sought, key, hash: hash) {
        return Place(cell: cells.3, hasKey: true)
      }
    }
    let empty = Self.mask(of: words) { $0 == 0 }
    if empty == 0 { return nil }
    return Place(cell: Cell(lane: empty.trailingZeroBitCount, ofLineAt: line), hasKey: false)
  }

  /// Returns a mask with a bit for each word that satisfies the condition, without a branch.
  @inline(__always)
  private static func mask(
    of words: (UInt, UInt, UInt, UInt), where isWanted: (UInt) -> Bool
  ) -> UInt {
    let (first, second) = (isWanted(words.0) ? 1 : 0, isWanted(words.1) ? 2 : 0) as (UInt, UInt)
    let (third, fourth) = (isWanted(words.2) ? 4 : 0, isWanted(words.3) ? 8 : 0) as (UInt, UInt)
    return first | second | third | fourth
  }

  /// Claims the empty cell where the probe for `key` ended; returns false if another thread has
  /// claimed it for this or another key.
  func claim(_ cell: Cell, for key: Key, _ hashed: HashedKey<Key>) -> Bool {
    guard key == key else {
      fatalError("a key is not equal to itself, like Double.nan; use reflexive keys")
    }
    let word = KeyCoding<Key>.make(
      key, hashed, mixedHash: head.pointee.seeds.mix(hashed.hash))
    if cell.replaceKey(0, with: word) { return true }
    CurrentThread.noteFailedCompareExchange()
    // Not the last reference: the caller has the key, or the node that this one was copied from has
    // it.
    KeyCoding<Key>.destroy(word)
    return false
  }

  /// Returns the distance of `cell` from the cell where the probe for a key begins.
  func distance(of cell: Cell, _ hashed: HashedKey<Key>) -> Int {
    let distance = index(of: cell) - index(of: Cell(lane: 0, ofLineAt: homeLine(for: hashed)))
    return distance < 0 ? distance + capacity : distance
  }

  /// Returns whether most of the keys in the lines before that of `cell` have the same hash, so
  /// that no seeds would separate them. The caller must be pinned.
  func hasEqualHashes(before cell: Cell, as hashed: HashedKey<Key>) -> Bool {
    let end = index(of: cell)
    return (1...16).count { offset in
      let word = self.cell(at: (end - offset + capacity) % capacity).key
      if word == 0 || !KeyCoding<Key>.fitsWord && word == KeyCoding<Key>.tombstone { return false }
      return HashedKey<Key>(ofWord: word).hash == hashed.hash
    } > 8
  }

  /// Whether so many cells have a key that long probes occur by chance: more than three quarters.
  var isNearlyFull: Bool {
    // Relaxed: a heuristic.
    reserved.pointee.load(ordering: .relaxed) > head.pointee.limit / 7 * 6
  }

  /// The distance from which a probe counts as long. By chance alone such a probe is exponentially
  /// unlikely at three quarters.
  var longDistance: Int { 64 + 16 * (Int.bitWidth - capacity.leadingZeroBitCount) }

  /// Traps if a value near `cell` has no key, or if a small table has no empty cell.
  ///
  /// Does nothing without the trait `InternalChecks`. Checks only some cells, because checking all
  /// of a large table after each change would take too long.
  func checkInvariants(around cell: Cell) {
    #if InternalChecks
      let first = index(of: cell)
      var keys = 0
      for offset in 0..<min(capacity, 64) {
        let nearby = self.cell(at: (first + offset) % capacity)
        // The value first: it arrives after the key.
        let value = nearby.value
        let key = nearby.key
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

/// A buffer for the value words of frozen cells. Its blocks belong to the table and are freed with
/// it: a reader that loaded a frozen word may follow it as long as the table exists.
///
/// One thread fills a block. It writes a word before the compare-exchange that freezes the cell,
/// which publishes the word. The word does not change afterwards.
struct FreezeBuffer {
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
    if freeCount == 0 { addBlock(to: table.migration.pointee.freezeBlocks) }
    let place = free.unsafelyUnwrapped
    place.writing().initialize(to: word)
    return ValueWord(.frozen, place)
  }

  /// Commits the memory of the last frozen word, which is now in a cell, so that it is not reused.
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
