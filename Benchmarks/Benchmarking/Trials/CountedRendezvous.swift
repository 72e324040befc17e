import EpochReclamation
import Primitives

/// A rendezvous whose last arrival reads the probe, while all others stand still.
///
/// To arrive and to wait allocates nothing, in an unoptimized build either.
final class CountedRendezvous: @unchecked Sendable {
  // @unchecked: the variables are written by the last arrival, and read when all have left.
  private(set) var bytes = AllocatedBytes(allocated: 0, freed: 0, peakLive: 0)
  /// How many entries were in limbo; nil before the last arrival.
  private(set) var backlog: Int?

  private let missing: Atomic<Int>
  private let hasOpened = Atomic(false)
  private let opening = EventCounter()

  init(count: Int) {
    missing = Atomic(count)
  }

  /// Returns when all have arrived.
  func arrive() {
    // Acquiring and releasing: what each did before it arrived is visible to the last.
    if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      open()
    } else {
      wait()
    }
  }

  private func open() {
    // In this order, so that a reading of the backlog is counted nowhere.
    backlog = EpochDomain.shared.telemetry.backlog
    bytes = .now
    // Releasing: whoever sees it sees what was read.
    hasOpened.store(true, ordering: .releasing)
    opening.signal()
  }

  private func wait() {
    while true {
      let ticket = opening.ticket()
      // Acquiring: pairs with the store in `open`.
      if hasOpened.load(ordering: .acquiring) { return }
      opening.wait(for: ticket)
    }
  }
}
