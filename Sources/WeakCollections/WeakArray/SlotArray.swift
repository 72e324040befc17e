import EpochReclamation
import Primitives

/// One generation of a lock-free weak array: a fixed number of slots, filled from the front.
///
/// One allocation: the header, then the slots. `state` is the number of counted slots, doubled, plus 1
/// once the generation is frozen.
///
/// Invariants:
///  1. A slot goes from nil to an entry once and never changes again.
///  2. Slots below the count are filled; a slot at the count may be filled and not yet counted.
///  3. The count grows by one at a time, and not at all once frozen.
struct SlotArray: Equatable {
  private struct Header: ~Copyable {
    let state = Atomic<UInt>(0)
    let capacity: Int
  }

  typealias Slot = Atomic<UnsafeMutableRawPointer?>

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Slots of which the first hold `entries`, already counted.
  init(_ entries: [UnsafeMutableRawPointer], capacity: Int) {
    precondition(entries.count <= capacity, "entries fit into their slots")
    memory = NodeMemory.allocate(
      byteCount: MemoryLayout<Header>.stride + capacity * MemoryLayout<Slot>.stride,
      alignment: MemoryLayout<Header>.alignment)
    memory.bindMemory(to: Header.self, capacity: 1).writing()
      .initialize(to: Header(capacity: capacity))
    let slots = (memory + MemoryLayout<Header>.stride)
      .bindMemory(to: Slot.self, capacity: capacity)
    for index in 0..<capacity {
      (slots + index).initialize(to: Slot(index < entries.count ? entries[index] : nil))
    }
    // Relaxed: nobody else has this generation before it is published.
    header.pointee.state.store(UInt(entries.count) << 1, ordering: .relaxed)
  }

  /// Gives the slots back, not the entries.
  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var capacity: Int { header.reading().pointee.capacity }
  var isFull: Bool { count == capacity }

  /// The number of counted slots; with the generation being the current one at some moment before the
  /// load, this is the linearization point of a snapshot.
  var count: Int {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange in
    // `append`, which publishes the slots below.
    Int(header.pointee.state.load(ordering: .sequentiallyConsistent) >> 1)
  }

  /// The entry in a counted slot.
  subscript(index: Int) -> UnsafeMutableRawPointer {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
    // that filled the slot.
    slots[index].load(ordering: .sequentiallyConsistent)!
  }

  /// Puts `entry` into the first free slot and returns its index; nil when the generation is full or
  /// frozen, and then `entry` is in no counted slot.
  ///
  /// Linearizes when the slot is counted, by this thread or by one that wants the next slot.
  func append(_ entry: UnsafeMutableRawPointer) -> Int? {
    // Sequentially consistent, as is every load of a structure under a pin.
    var state = header.pointee.state.load(ordering: .sequentiallyConsistent)
    while state & 1 == 0, Int(state >> 1) < capacity {
      let index = Int(state >> 1)
      if Defect.countedBeforeFilled.isPlanted {
        let found = header.pointee.state.compareExchange(
          expected: state, desired: state + 2, ordering: .sequentiallyConsistent)
        state = found.original
        guard found.exchanged else { continue }
        slots[index].store(entry, ordering: .sequentiallyConsistent)
        return index
      }
      // Sequentially consistent: publishes the entry to those who load the slot; a failure says that
      // the slot is another's, who may need help to have it counted.
      let (isOurs, _) = slots[index].compareExchange(
        expected: nil, desired: entry, ordering: .sequentiallyConsistent)
      HaltPoint.betweenAtomics.reach()
      // Sequentially consistent: the linearization point of the slot's append. Pairs with `freeze`:
      // - if this comes first, the slot is counted and the frozen generation holds it;
      // - if the freeze comes first, this fails, and the entry goes into a later generation.
      let (isCounted, current) = header.pointee.state.compareExchange(
        expected: state, desired: state + 2, ordering: .sequentiallyConsistent)
      if !isOurs { CurrentThread.noteFailedExchange() }
      if !isCounted { CurrentThread.noteFailedExchange() }
      if isOurs { return isCounted || Int(current >> 1) > index ? index : nil }
      state = isCounted ? state + 2 : current
    }
    return nil
  }

  /// Ends all counting; returns the final count.
  func freeze() -> Int {
    // Sequentially consistent; partner named in `append`.
    let old = header.pointee.state.bitwiseOr(
      Defect.freezeNotHonoured.isPlanted ? 0 : 1, ordering: .sequentiallyConsistent
    ).oldValue
    return Int(old >> 1)
  }

  private var header: UnsafeMutablePointer<Header> {
    memory.assumingMemoryBound(to: Header.self)
  }

  var slots: UnsafeMutablePointer<Slot> {
    (memory + MemoryLayout<Header>.stride).assumingMemoryBound(to: Slot.self)
  }
}

extension SlotArray: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    SlotArray(memory: pointer).deallocate()
  }
}
