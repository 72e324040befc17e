import Primitives

/// A place for one key and its value in a table: two words, a quarter of a cache line.
///
/// All operations on them are sequentially consistent: the argument of `LockFreeDictionary` is about
/// their one order, and on x86 neither loads nor exchanges cost more for it.
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
      // Sequentially consistent; pairs with `exchangeValue`, which publishes what the word points to.
      ValueWord(bits: valueBits.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Makes the key word `new` if it is `old`.
  @inline(__always)
  borrowing func exchangeKey(_ old: UInt, for new: UInt) -> Bool {
    // Sequentially consistent; pairs with the exchange of `CellTable.next`:
    // - if this comes first, whoever knows of a next table finds the key here and closes its cell;
    // - if that comes first, the load of `next` that follows this sees it, and no value is put here.
    keyBits.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
      .exchanged
  }

  /// Makes the value word `new` if it is `old`.
  @inline(__always)
  borrowing func exchangeValue(_ old: ValueWord, for new: ValueWord) -> Bool {
    // Sequentially consistent: the linearization point of a write, the unlinking of what it replaces,
    // and the publication of what it puts there.
    valueBits.compareExchange(
      expected: old.bits, desired: new.bits, ordering: .sequentiallyConsistent
    ).exchanged
  }
}
