extension CellTable {
  /// Traps unless every value near `cell` has a key, and a small table has an empty cell.
  ///
  /// Does nothing without the trait `InternalChecks`. Not all cells are looked at: a check of all after
  /// each change of a large table would take minutes.
  func checkInvariants(around cell: Cell.Pointer) {
    #if InternalChecks
      let first = cell - cells
      var keys = 0
      for offset in 0..<min(capacity, 64) {
        let neighbour = cells + ((first + offset) & (capacity - 1))
        // The value first: it comes after the key.
        let value = neighbour.pointee.value
        let key = neighbour.pointee.key
        precondition(value == .untouched || key != 0, "a cell with a value has a key")
        keys += key == 0 ? 0 : 1
      }
      precondition(keys < capacity, "every probe ends at an empty cell")
    #endif
  }
}
