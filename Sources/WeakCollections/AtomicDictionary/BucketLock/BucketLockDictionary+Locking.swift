import EpochReclamation
import Primitives

extension BucketLockDictionary {
  /// Looks at a locked bucket before a thread sleeps; between them it pauses for ever longer. None under
  /// a managed scheduler, where nobody would ever sleep otherwise.
  private static var spins: Int {
    #if Interleaving
      0
    #else
      7
    #endif
  }

  /// Locks `bucket`, if its holder does not keep it for long; returns its state before.
  @inline(__always)
  func lock(_ bucket: Bucket) -> BucketState? {
    bucket.tryLock() ?? Self.lockSlowly(bucket)
  }

  @inline(never)
  private static func lockSlowly(_ bucket: Bucket) -> BucketState? {
    for turn in 0..<spins {
      for _ in 0..<1 << turn { spinHint() }
      if let state = bucket.tryLock() { return state }
    }
    return nil
  }

  /// Makes the state of a bucket `state`, which is not locked, and wakes those who sleep.
  @inline(__always)
  func unlock(_ bucket: Bucket, _ state: BucketState) {
    if Defect.unlockedByStore.isPlanted {
      bucket.setState(state)
    } else {
      bucket.exchangeState(state)
    }
    // Sequentially consistent; pairs with the addition in `sleep`, argued there.
    if sleepers.load(ordering: .sequentiallyConsistent) != 0 { wakeSleepers() }
  }

  @inline(never)
  private func wakeSleepers() {
    if !Defect.unlockedWithoutWaking.isPlanted { unlockings.signal() }
  }

  /// Returns when the bucket of a key, which was locked, has been unlocked, or earlier for no reason.
  @inline(never)
  func sleep(untilUnlocked print: Print) {
    CurrentThread.noteFailedExchange()
    // Sequentially consistent; pairs with the exchange and the load in `unlock`:
    // - if this comes before that load, the unlocking signals, after the ticket or before it;
    // - if it comes after, the look finds the bucket unlocked.
    sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let ticket = unlockings.ticket()
    if isLocked(print) {
      unlockings.wait(for: Defect.lostWakeUp.isPlanted ? unlockings.ticket() : ticket)
    }
    // Relaxed: a sleeper counted too long costs superfluous signals.
    sleepers.wrappingSubtract(1, ordering: .relaxed)
  }

  private func isLocked(_ print: Print) -> Bool {
    domain.pin {
      var table = current
      while true {
        let state = table.probe(print).bucket.state
        if !state.isMoved { return state.isLocked }
        table = table.next.unsafelyUnwrapped
      }
    }
  }
}
