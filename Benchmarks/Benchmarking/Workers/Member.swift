import Primitives
import Threading

/// The element of the weak arrays that are timed: an object that knows whether it lives and is counted
/// when it dies.
public final class Member: Sendable {
  private let life = Atomic<UInt32>(Member.alive)
  private let tally: Census.Tally

  private static let alive: UInt32 = 0xA11F_E000

  init(_ tally: Census.Tally) {
    self.tally = tally
    tally.noteBirth()
  }

  deinit {
    // Relaxed: a canary for whoever should not be able to look at all.
    life.store(0, ordering: .relaxed)
    tally.noteDeath()
  }

  /// Whether this object's `deinit` has not begun; what a delegate's method does in the workloads.
  @inline(never)
  func isAlive() -> Bool {
    life.load(ordering: .relaxed) == Self.alive  // Relaxed, as above.
  }
}
