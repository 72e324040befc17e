// An index that maps the hash of an element to its position in a dense array: open addressing with
// linear probing. A removal shifts the following slots back (Knuth, "The Art of Computer
// Programming", volume 3, section 6.4, algorithm R), so there are no tombstones, and no rehashing
// because of tombstones.
//
// A slot is 0, or contains 32 bits of the hash and, below them, the position plus 1.
//
// Invariants:
//  1. Every position is in one slot, with its own hash.
//  2. No slot is empty between the slot where the search for a hash begins and the slot that
//     contains the hash.
//  3. At most three quarters of the slots are occupied.

/// An index of positions by hash.
struct HashIndex {
  private var slots: [UInt64] = []
  private var taken = 0

  private static var leastSlotCount: Int { 8 }

  private var mask: Int { slots.count - 1 }

  /// Returns the first position with `hash` that `isMatch` accepts. It may call `isMatch` several
  /// times.
  func firstPosition(of hash: UInt32, where isMatch: (Int) -> Bool) -> Int? {
    guard taken > 0 else { return nil }
    var place = Int(hash) & mask
    while slots[place] != 0 {
      let slot = slots[place]
      if Self.hash(in: slot) == hash, isMatch(Self.position(in: slot)) {
        return Self.position(in: slot)
      }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Adds `position`, which must be absent.
  mutating func insert(_ position: Int, hash: UInt32) {
    if taken + 1 > slots.count / 4 * 3 { resize(to: max(Self.leastSlotCount, 2 * slots.count)) }
    put(Self.slot(position, hash))
    taken += 1
  }

  /// Replaces `position` with `newPosition`.
  mutating func move(_ position: Int, to newPosition: Int, hash: UInt32) {
    slots[place(of: position, hash: hash)] = Self.slot(newPosition, hash)
  }

  /// Removes `position`, which must be present.
  mutating func remove(_ position: Int, hash: UInt32) {
    var hole = place(of: position, hash: hash)
    var place = (hole + 1) & mask
    while slots[place] != 0 {
      let start = Int(Self.hash(in: slots[place])) & mask
      // Shifts the slot into the hole, unless the search for its hash begins after the hole.
      if (place - start) & mask >= (place - hole) & mask {
        slots[hole] = slots[place]
        hole = place
      }
      place = (place + 1) & mask
    }
    slots[hole] = 0
    taken -= 1
  }

  /// Creates an index of the positions from 0 on, whose hashes are `hashes`, with as few slots as
  /// possible.
  init(hashes: some Collection<UInt32> = []) {
    guard !hashes.isEmpty else { return }
    var slotCount = Self.leastSlotCount
    while hashes.count > slotCount / 4 * 3 { slotCount *= 2 }
    slots = Array(repeating: 0, count: slotCount)
    for (position, hash) in hashes.enumerated() { put(Self.slot(position, hash)) }
    taken = hashes.count
  }

  private mutating func resize(to slotCount: Int) {
    let old = slots
    slots = Array(repeating: 0, count: slotCount)
    for slot in old where slot != 0 { put(slot) }
  }

  private mutating func put(_ slot: UInt64) {
    var place = Int(Self.hash(in: slot)) & mask
    while slots[place] != 0 { place = (place + 1) & mask }
    slots[place] = slot
  }

  private func place(of position: Int, hash: UInt32) -> Int {
    let slot = Self.slot(position, hash)
    var place = Int(hash) & mask
    while slots[place] != slot { place = (place + 1) & mask }
    return place
  }

  private static func slot(_ position: Int, _ hash: UInt32) -> UInt64 {
    UInt64(hash) << 32 | UInt64(UInt32(position + 1))
  }

  private static func hash(in slot: UInt64) -> UInt32 { UInt32(slot >> 32) }

  private static func position(in slot: UInt64) -> Int {
    Int(UInt32(truncatingIfNeeded: slot)) - 1
  }
}
