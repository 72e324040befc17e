#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

import Primitives
import Synchronization

/// Where threads meet before each round, to begin it within nanoseconds of each other: they spin, and give
/// their core away where there are more of them than cores.
final class StartLine: Sendable {
  private let threadCount: Int
  private let spins: Int
  private let arrivals = Synchronization.Atomic<Int>(0)
  private let generation = Synchronization.Atomic<Int>(0)

  init(threadCount: Int) {
    self.threadCount = threadCount
    spins = threadCount <= Host.usableCores ? 4096 : 16
  }

  /// Returns once all threads are there.
  func arrive() {
    // Relaxed: this thread's own last generation.
    let mine = generation.load(ordering: .relaxed)
    // Acquiring and releasing: the last one has seen what all others did.
    if arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == threadCount {
      // Relaxed: published by the store below.
      arrivals.store(0, ordering: .relaxed)
      // Releasing: pairs with the loads below.
      generation.store(mine + 1, ordering: .releasing)
      return
    }
    var left = spins
    // Acquiring: pairs with the store above.
    while generation.load(ordering: .acquiring) == mine {
      left -= 1
      if left > 0 { spinHint() } else { sched_yield() }
    }
  }
}
