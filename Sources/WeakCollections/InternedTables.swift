import Primitives

/// Copies of several words each, kept for ever: equal words have one copy.
///
/// A list that only grows, newest first, so that nobody waits for anybody: an append to a lock-free
/// array interns the tables of a protocol composition.
enum InternedTables {
  /// An entry: the address of the next one, the number of words, the words.
  private static let newest = Atomic<UInt>(0)
  private static let wordSize = MemoryLayout<UInt>.size
  private static let headerSize = 2 * wordSize

  /// The address of the copy of `words`.
  ///
  /// - Complexity: O(number of copies), which is the number of pairs of a type and a composition.
  static func address(of words: UnsafeRawBufferPointer) -> UInt {
    // Acquiring: pairs with the releasing exchange below, which publishes an entry.
    var first = newest.load(ordering: .acquiring)
    if let found = find(words, from: first) { return found }
    // Not a node: it is never given back, so it outlives every scheduler.
    let entry = UnsafeMutableRawPointer.allocate(
      byteCount: headerSize + words.count, alignment: MemoryLayout<UInt>.alignment)
    entry.storeBytes(of: UInt(words.count), toByteOffset: wordSize, as: UInt.self)
    (entry + headerSize).copyMemory(from: words.baseAddress!, byteCount: words.count)
    while true {
      entry.storeBytes(of: first, as: UInt.self)
      // Releasing: publishes the entry to the acquiring load above. Acquiring on failure, to read the
      // entries that came before ours. No ABA: an entry that was ever first never goes away.
      let (done, current) = newest.compareExchange(
        expected: first, desired: UInt(bitPattern: entry),
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if done { return UInt(bitPattern: entry + headerSize) }
      first = current
      if let found = find(words, from: first) {
        entry.deallocate()
        return found
      }
    }
  }

  private static func find(_ words: UnsafeRawBufferPointer, from first: UInt) -> UInt? {
    var next = first
    while let entry = UnsafeRawPointer(bitPattern: next) {
      let byteCount = Int(entry.load(fromByteOffset: wordSize, as: UInt.self))
      let copy = UnsafeRawBufferPointer(start: entry + headerSize, count: byteCount)
      if copy.elementsEqual(words) { return UInt(bitPattern: copy.baseAddress) }
      next = entry.load(as: UInt.self)
    }
    return nil
  }
}
