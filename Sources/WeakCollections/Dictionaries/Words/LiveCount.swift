import Primitives

/// A striped counter: one word and, after the first failed compare-exchange, eight stripes on
/// separate cache lines. The count is the sum of the word and the stripes, as in the JDK's
/// `LongAdder`.
struct LiveCount: ~Copyable {
  private struct Words: ~Copyable {
    let first = Atomic<Int>(0)
    let stripes = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  private static var stripeCount: Int { 8 }

  private let words: UnsafeMutablePointer<Words>

  init() {
    words = NodeMemory.allocateApart(byteCount: MemoryLayout<Words>.size)
      .bindMemory(to: Words.self, capacity: 1)
    words.initialize(to: Words())
  }

  deinit {
    if let stripes = stripes { NodeMemory.deallocate(stripes) }
    words.deinitialize(count: 1)
    NodeMemory.deallocate(words)
  }

  /// The sum; exact while no thread adds, which some other synchronization must guarantee.
  var total: Int {
    // Relaxed, here and below: the counters publish no other memory.
    var total = words.pointee.first.load(ordering: .relaxed)
    guard let stripes else { return total }
    for index in 0..<Self.stripeCount {
      total &+= Self.stripe(stripes, index).pointee.load(ordering: .relaxed)
    }
    return total
  }

  /// Adds `change` to the word or to a stripe; returns the new value of that one alone. This is the
  /// sum while there are no stripes.
  @discardableResult
  borrowing func add(_ change: Int) -> Int {
    if let stripes { return add(change, to: stripes) }
    let old = words.pointee.first.load(ordering: .relaxed)
    let (done, _) = words.pointee.first.compareExchange(
      expected: old, desired: old &+ change, ordering: .relaxed)
    return done ? old &+ change : add(change, to: makeStripes())
  }

  private borrowing func add(_ change: Int, to stripes: UnsafeMutableRawPointer) -> Int {
    // The address of the thread's participant record selects the stripe. Each thread has its own
    // record, and the distances between records are multiples of 128 bytes.
    let record = UInt(bitPattern: ThreadSlot.participants.value)
    let index = Int(truncatingIfNeeded: (record >> 7 ^ record >> 12)) & (Self.stripeCount - 1)
    return Self.stripe(stripes, index).pointee.wrappingAdd(change, ordering: .relaxed).newValue
  }

  private var stripes: UnsafeMutableRawPointer? {
    // Acquiring: pairs with the compare-exchange in `makeStripes`, which publishes the stripes.
    words.pointee.stripes.load(ordering: .acquiring)
  }

  private borrowing func makeStripes() -> UnsafeMutableRawPointer {
    let made = NodeMemory.allocateApart(
      byteCount: Self.stripeCount * NodeMemory.destructiveInterference)
    for index in 0..<Self.stripeCount { Self.stripe(made, index).initialize(to: Atomic(0)) }
    // Releasing: pairs with the loads of `stripes`. Acquiring on failure, to use the stripes of
    // another thread.
    let (done, present) = words.pointee.stripes.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if done { return made }
    NodeMemory.deallocate(made)
    return present.unsafelyUnwrapped
  }

  private static func stripe(
    _ stripes: UnsafeMutableRawPointer, _ index: Int
  ) -> UnsafeMutablePointer<Atomic<Int>> {
    (stripes + index * NodeMemory.destructiveInterference)
      .assumingMemoryBound(to: Atomic<Int>.self)
  }
}

// @unchecked: accesses to the words are atomic, and only this counter uses their memory.
extension LiveCount: @unchecked Sendable {}
