import Primitives

extension CellTable {
  /// Where a probe for a key ended: at its cell, or at the empty one where it would go.
  struct Place {
    let cell: Cell.Pointer
    let hasKey: Bool
  }

  /// Looks for `key`.
  ///
  /// Ends: at most three quarters of the cells ever get a key.
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

  /// Gives `key`, which was not found, the empty cell where the probe for it ended.
  ///
  /// False if another key got the cell meanwhile, or this one.
  func plant(_ key: Key, _ print: Fingerprint<Key>, in cell: Cell.Pointer) -> Bool {
    precondition(key == key, "a key is equal to itself")
    let word = KeyCoding<Key>.make(
      key, print, mixedHash: head.pointee.seeds.mix(print.hash))
    if cell.pointee.exchangeKey(0, for: word) { return true }
    CurrentThread.noteFailedExchange()
    // The caller has the key, or a node has from which this was copied: no last reference.
    KeyCoding<Key>.destroy(word)
    return false
  }

  /// Where the probe for a key begins.
  func firstCell(for print: Fingerprint<Key>) -> Cell.Pointer {
    cells + (Int(bitPattern: head.pointee.seeds.mix(print.hash)) & (capacity &- 1))
  }

  /// How far `cell` is from where the probe for a key begins.
  func distance(of cell: Cell.Pointer, _ print: Fingerprint<Key>) -> Int {
    let mixed = head.pointee.seeds.mix(print.hash)
    return (cell - cells) &- Int(bitPattern: mixed) & (capacity &- 1)
  }

  /// A distance from which on a probe is long: chance alone does not come to it, being exponentially
  /// unlikely at three quarters.
  var longDistance: Int { 64 + 16 * (Int.bitWidth - capacity.leadingZeroBitCount) }
}
