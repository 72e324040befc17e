/// The calls and returns of a history, grouped by partition and in order of time.
///
/// A *part* is the range of events of one partition. A *slot* is a small number that identifies an
/// operation between its call and its return.
struct HistoryTimeline<Partition: Hashable> {
  /// A call or a return, packed: the operation's index and one bit.
  struct Event {
    private let code: UInt32

    init(operation: Int, isReturn: Bool) {
      code = UInt32(operation) << 1 | (isReturn ? 1 : 0)
    }

    var operation: Int { Int(code >> 1) }
    var isReturn: Bool { code & 1 == 1 }
  }

  private struct Moment {
    let stamp: UInt64
    let event: Event
  }

  struct Part {
    let partition: Partition
    var events: Range<Int>
  }

  private(set) var events: [Event]
  private(set) var parts: [Part] = []
  /// The slot of each operation. Concurrent operations of one part have different slots.
  private(set) var slots: [Int32] = []
  /// The maximum number of concurrent operations in a part, which is the number of slots.
  private(set) var slotCount = 0

  init<Input, Output>(
    _ operations: [Operation<Input, Output>], partition: (Input) -> Partition
  ) {
    let moments = Self.moments(of: operations)
    var partOf: [Int32] = []
    partOf.reserveCapacity(operations.count)
    var numbers: [Partition: Int32] = [:]
    var counts: [Int] = []
    for operation in operations {
      let key = partition(operation.input)
      let number: Int32
      if let known = numbers[key] {
        number = known
      } else {
        number = Int32(counts.count)
        numbers[key] = number
        counts.append(0)
        parts.append(Part(partition: key, events: 0..<0))
      }
      partOf.append(number)
      counts[Int(number)] += operation.return == nil ? 1 : 2
    }
    var start = 0
    for part in parts.indices {
      parts[part].events = start..<start
      start += counts[part]
    }
    events = Array(repeating: Event(operation: 0, isReturn: false), count: moments.count)
    for moment in moments {
      let part = Int(partOf[moment.event.operation])
      let end = parts[part].events.upperBound
      events[end] = moment.event
      parts[part].events = parts[part].events.lowerBound..<end + 1
    }
    assignSlots(operations: operations.count)
  }

  /// Returns the calls and returns in order of time. At equal stamps calls come first, so that
  /// equal stamps order nothing.
  private static func moments<Input, Output>(
    of operations: [Operation<Input, Output>]
  ) -> [Moment] {
    var moments: [Moment] = []
    moments.reserveCapacity(2 * operations.count)
    for (index, operation) in operations.enumerated() {
      moments.append(
        Moment(stamp: operation.call, event: Event(operation: index, isReturn: false)))
      if let end = operation.return {
        moments.append(Moment(stamp: end, event: Event(operation: index, isReturn: true)))
      }
    }
    moments.sort { left, right in
      left.stamp != right.stamp
        ? left.stamp < right.stamp : !left.event.isReturn && right.event.isReturn
    }
    return moments
  }

  private mutating func assignSlots(operations: Int) {
    slots = Array(repeating: 0, count: operations)
    var free: [Int32] = []
    for part in parts {
      var used: Int32 = 0
      free.removeAll(keepingCapacity: true)
      for event in events[part.events] {
        if event.isReturn {
          free.append(slots[event.operation])
        } else if let slot = free.popLast() {
          slots[event.operation] = slot
        } else {
          slots[event.operation] = used
          used += 1
        }
      }
      slotCount = max(slotCount, Int(used))
    }
  }
}

/// A set of slots.
protocol SlotSet: Hashable, Sendable {
  init(capacity: Int)
  func contains(_ slot: Int) -> Bool
  mutating func insert(_ slot: Int)
  mutating func remove(_ slot: Int)
  /// Removes and returns the smallest slot.
  mutating func popFirst() -> Int?
  func subtracting(_ other: Self) -> Self
  var isEmpty: Bool { get }
}

/// A set of up to 64 slots in one word, enough for most histories.
struct NarrowSlotSet: SlotSet {
  static let capacity = UInt64.bitWidth
  private var bits: UInt64 = 0

  init(capacity: Int) {
    guard capacity <= Self.capacity else {
      fatalError(
        "capacity must be at most \(Self.capacity), got \(capacity); use WideSlotSet for more slots"
      )
    }
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

/// A set of any number of slots, for histories with many operations that never returned.
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
