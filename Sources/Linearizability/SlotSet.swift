/// A set of slots, small numbers that stand for the operations under way.
protocol SlotSet: Hashable, Sendable {
  init(capacity: Int)
  func contains(_ slot: Int) -> Bool
  mutating func insert(_ slot: Int)
  mutating func remove(_ slot: Int)
  /// The smallest, taken out.
  mutating func popFirst() -> Int?
  func subtracting(_ other: Self) -> Self
  var isEmpty: Bool { get }
}

/// Up to 64 slots in a word, which is all that most histories need.
struct NarrowSlotSet: SlotSet {
  static let capacity = UInt64.bitWidth
  private var bits: UInt64 = 0

  init(capacity: Int) {
    precondition(capacity <= Self.capacity, "a narrow slot set holds at most 64 slots")
  }

  func contains(_ slot: Int) -> Bool { bits & Self.bit(slot) != 0 }
  mutating func insert(_ slot: Int) { bits |= Self.bit(slot) }
  mutating func remove(_ slot: Int) { bits &= ~Self.bit(slot) }

  mutating func popFirst() -> Int? {
    guard bits != 0 else { return nil }
    let slot = bits.trailingZeroBitCount
    bits &= bits &- 1
    return slot
  }

  func subtracting(_ other: Self) -> Self {
    var difference = self
    difference.bits &= ~other.bits
    return difference
  }

  var isEmpty: Bool { bits == 0 }

  private static func bit(_ slot: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: slot) }
}

/// Any number of slots, for histories with many operations that never returned.
struct WideSlotSet: SlotSet {
  private var words: [NarrowSlotSet]

  init(capacity: Int) {
    let narrow = NarrowSlotSet(capacity: 0)
    words = Array(repeating: narrow, count: capacity / NarrowSlotSet.capacity + 1)
  }

  func contains(_ slot: Int) -> Bool { words[slot >> 6].contains(slot & 63) }
  mutating func insert(_ slot: Int) { words[slot >> 6].insert(slot & 63) }
  mutating func remove(_ slot: Int) { words[slot >> 6].remove(slot & 63) }

  mutating func popFirst() -> Int? {
    for index in words.indices {
      if let slot = words[index].popFirst() { return index << 6 + slot }
    }
    return nil
  }

  func subtracting(_ other: Self) -> Self {
    var difference = self
    for index in words.indices {
      difference.words[index] = words[index].subtracting(other.words[index])
    }
    return difference
  }

  var isEmpty: Bool { words.allSatisfy(\.isEmpty) }
}
