import EpochReclamation
import Primitives

/// The segments of a lock-free weak array at one time. All of them are full except the last.
///
/// One allocation: the header, then the segments' addresses. Only `state` and `successor` change.
struct SlotDirectory: Equatable {
  /// The progress of a directory. Both values change only together, and a position never recurs.
  struct State: Equatable {
    /// The number of slots of the last segment that are filled and whose decisions are done.
    let position: Int
    /// The number of stored entries, including those of dead objects that were not removed yet.
    let entryCount: Int

    init(position: Int, entryCount: Int) {
      self.position = position
      self.entryCount = entryCount
    }

    fileprivate init(rawValue: UInt64) {
      self.init(position: Int(rawValue >> 32), entryCount: Int(rawValue & 0xffff_ffff))
    }

    fileprivate var rawValue: UInt64 { UInt64(position) << 32 | UInt64(entryCount) }
  }

  /// The state of the search for dead entries, which continues whenever segments are replaced
  /// anyway.
  struct Sweep {
    /// The first segment that this pass has not checked.
    var cursor = 0
    /// The number of entries above which the pass is accelerated, so that there are never more than
    /// 2 × live + 64.
    let entryLimit: Int

    init(afterPassLeaving entryCount: Int) {
      entryLimit = entryCount + entryCount / 2 + 32
    }
  }

  private struct Header: ~Copyable {
    let state: Atomic<UInt64>
    let successor = Atomic<UnsafeMutableRawPointer?>(nil)
    let segmentCount: Int
    let sweep: Sweep
    let droppedCount: Int
  }

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates a directory of `segments`.
  ///
  /// `droppedCount` is the number of entries of the predecessor that are left out.
  init(_ segments: [SlotSegment], state: State, sweep: Sweep, droppedCount: Int = 0) {
    memory = NodeMemory.allocate(
      byteCount: Self.byteCount(segmentCount: segments.count),
      alignment: MemoryLayout<Header>.alignment)
    memory.bindMemory(to: Header.self, capacity: 1).writing().initialize(
      to: Header(
        state: Atomic(state.rawValue), segmentCount: segments.count, sweep: sweep,
        droppedCount: droppedCount))
    let copies = (memory + MemoryLayout<Header>.stride)
      .bindMemory(to: SlotSegment.self, capacity: segments.count)
    for index in segments.indices { (copies + index).initialize(to: segments[index]) }
  }

  private static func byteCount(segmentCount: Int) -> Int {
    MemoryLayout<Header>.stride + segmentCount * MemoryLayout<SlotSegment>.stride
  }

  /// The size without the segments.
  var byteCount: Int { Self.byteCount(segmentCount: header.reading().pointee.segmentCount) }

  /// Frees the directory, but not its segments.
  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var segments: UnsafeBufferPointer<SlotSegment> {
    let first = (memory + MemoryLayout<Header>.stride).assumingMemoryBound(to: SlotSegment.self)
    return UnsafeBufferPointer(start: first, count: header.reading().pointee.segmentCount)
  }

  var sweep: Sweep { header.reading().pointee.sweep }
  var droppedCount: Int { header.reading().pointee.droppedCount }

  /// The segment that is being filled.
  var tail: SlotSegment { segments[segments.count - 1] }

  var state: State {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with `advance`:
    // the decisions in the slots before the position are done.
    State(rawValue: header.pointee.state.load(ordering: .sequentiallyConsistent))
  }

  /// Advances from `state` to the next slot. Does nothing if another thread has done so.
  @inline(__always)
  func advance(from state: State, changingEntriesBy change: Int) {
    let next = State(position: state.position + 1, entryCount: state.entryCount + change)
    // Sequentially consistent: for a thread that loads the new position, the decision in the slot
    // before it is done. No ABA: the position only grows.
    let (isOurs, _) = header.pointee.state.compareExchange(
      expected: state.rawValue, desired: next.rawValue, ordering: .sequentiallyConsistent)
    if !isOurs { CurrentThread.noteFailedCompareExchange() }
  }

  /// The successor of this directory, once the threads have agreed on it.
  var successor: SlotDirectory? {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the
    // compare-exchange in `agree(on:)`.
    header.pointee.successor.load(ordering: .sequentiallyConsistent)
      .map(SlotDirectory.init(memory:))
  }

  /// Proposes a successor; returns the one that all threads agree on.
  func agree(on proposal: SlotDirectory) -> SlotDirectory {
    // Sequentially consistent: publishes the proposal to the threads that load the successor.
    let (isOurs, agreed) = header.pointee.successor.compareExchange(
      expected: nil, desired: proposal.memory, ordering: .sequentiallyConsistent)
    if !isOurs { CurrentThread.noteFailedCompareExchange() }
    return isOurs ? proposal : SlotDirectory(memory: agreed!)
  }

  /// The slot after the filled ones, at the moment when it was loaded.
  enum NextSlot {
    /// Nothing is in progress: when the slot was loaded, the directory was current, and `state` was
    /// the state of the array.
    case free
    /// An append or a removal is decided, and may be in progress.
    case filled(SlotWord)
    /// The directory no longer changes.
    case closed(SlotWord.Closing)
  }

  /// Returns the slot after `state`, which was loaded from this directory.
  func next(after state: State) -> NextSlot {
    guard state.position < tail.capacity else { return .closed(.growth) }
    let word = tail[state.position]
    switch word.meaning {
    case .free: return .free
    case .closing(let closing): return .closed(closing)
    default: return .filled(word)
    }
  }

  /// Returns the number of filled slots of the segment at `index` in `state`.
  func filledCount(ofSegment index: Int, at state: State) -> Int {
    index == segments.count - 1 ? state.position : segments[index].capacity
  }

  subscript(position: SlotPosition) -> SlotWord {
    segments[position.segment][position.index]
  }

  /// Traps if a slot before the position is free. Must be called under a pin.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      let state = state
      precondition(
        state.position <= tail.capacity,
        "position \(state.position) is beyond the \(tail.capacity) slots of the tail")
      for segment in segments.indices {
        for index in 0..<filledCount(ofSegment: segment, at: state) {
          precondition(
            segments[segment][index] != .free,
            "slot \(index) of segment \(segment) is free, but before the position")
        }
      }
    #endif
  }

  private var header: UnsafeMutablePointer<Header> {
    memory.assumingMemoryBound(to: Header.self)
  }
}

extension SlotDirectory: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    SlotDirectory(memory: pointer).deallocate()
  }
}
