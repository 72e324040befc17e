import Primitives

/// Where the value words of frozen cells are kept until these are moved: blocks that belong to the table
/// and go with it, since readers may look into them as long as into the table.
///
/// One thread fills a block. A word is written before the exchange that freezes its cell, which publishes
/// it, and does not change afterwards.
struct KeptWords {
  private struct Block {
    let older: UnsafeMutableRawPointer?
  }

  /// How many words the next block has.
  private let capacity: Int
  private var free: UnsafeMutablePointer<ValueWord>?
  private var freeCount = 0

  /// Blocks of `capacity` words, made when they are needed.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// A frozen word that keeps `word`; until `take`, the next call uses the same memory.
  mutating func frozen<Key, Value>(
    _ word: ValueWord, in table: CellTable<Key, Value>
  ) -> ValueWord {
    if freeCount == 0 { addBlock(to: table.moving.pointee.kept) }
    let place = free.unsafelyUnwrapped
    place.writing().initialize(to: word)
    return ValueWord(.frozen, place)
  }

  /// The frozen word made last is in a cell.
  mutating func take() {
    free = free.unsafelyUnwrapped + 1
    freeCount -= 1
  }

  private mutating func addBlock(to newest: borrowing Atomic<UnsafeMutableRawPointer?>) {
    let memory = NodeMemory.allocate(
      byteCount: MemoryLayout<Block>.stride + capacity * MemoryLayout<ValueWord>.stride,
      alignment: MemoryLayout<UInt>.alignment)
    let block = memory.bindMemory(to: Block.self, capacity: 1)
    // Relaxed: nothing is read through it; the exchange below checks that it still holds.
    var older = newest.load(ordering: .relaxed)
    while true {
      block.writing().initialize(to: Block(older: older))
      // Sequentially consistent, on a rare path: whoever gives back the table sees all blocks.
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
    // Acquiring: pairs with the exchange in `addBlock`.
    var next = newest.load(ordering: .acquiring)
    while let memory = next {
      next = memory.assumingMemoryBound(to: Block.self).reading().pointee.older
      NodeMemory.deallocate(memory)
    }
  }
}
