import Primitives

/// Whether a bucket is locked, whether it is moved, and a version that every key put into it raises.
struct BucketState {
  let bits: UInt

  private static var lock: UInt { 1 }
  private static var move: UInt { 2 }
  private static var version: UInt { 4 }

  @inline(__always)
  init(bits: UInt) {
    self.bits = bits
  }

  var isLocked: Bool {
    @inline(__always) get { bits & Self.lock != 0 }
  }

  /// Whether what was in the bucket is in the next table.
  var isMoved: Bool {
    @inline(__always) get { bits & Self.move != 0 }
  }

  var locked: BucketState {
    @inline(__always) get { BucketState(bits: bits | Self.lock) }
  }

  var unlocked: BucketState {
    @inline(__always) get { BucketState(bits: bits & ~Self.lock) }
  }

  var moved: BucketState {
    @inline(__always) get { BucketState(bits: bits | Self.move) }
  }

  var raised: BucketState {
    @inline(__always) get { BucketState(bits: bits &+ Self.version) }
  }

  /// Whether no slot got another key between the two.
  @inline(__always)
  func hasVersion(of other: BucketState) -> Bool { bits ^ other.bits < Self.version }
}

extension Bucket {
  var state: BucketState {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with `setState`
      // and `exchangeState`: whoever sees that the bucket is moved sees what is in the next table.
      BucketState(bits: words.pointee.load(ordering: .sequentiallyConsistent))
    }
  }

  /// Locks the bucket if it is not; returns its state before.
  @inline(__always)
  func tryLock() -> BucketState? {
    if Defect.bucketLockedTwice.isPlanted {
      let state = state
      if !state.isLocked { setState(state.locked) }
      return state.isLocked ? nil : state
    }
    // Relaxed: a look; the exchange makes sure.
    let state = BucketState(bits: words.pointee.load(ordering: .relaxed))
    guard !state.isLocked else { return nil }
    // Acquiring: pairs with `exchangeState`, by which the last holder unlocked it. Failing, it learns nothing.
    let (done, _) = words.pointee.compareExchange(
      expected: state.bits, desired: state.locked.bits, successOrdering: .acquiring,
      failureOrdering: .relaxed)
    return done ? state : nil
  }

  /// Makes the state `state`, locked still; for whoever has the lock.
  @inline(__always)
  func setState(_ state: BucketState) {
    // Releasing: who reads a value stored later sees a version raised here.
    words.pointee.store(state.bits, ordering: .releasing)
  }

  /// Makes the state `state`, and unlocks the bucket with that; for whoever has the lock.
  @inline(__always)
  func exchangeState(_ state: BucketState) {
    // Sequentially consistent: hands what was done under the lock to whoever locks the bucket next, and
    // has it come before whatever this thread reads next, as a write that has returned must. What is
    // taken out of the next table was not found here after this said that the bucket is moved.
    _ = words.pointee.exchange(state.bits, ordering: .sequentiallyConsistent)
  }
}
