import Primitives

/// Where the workers of a trial wait until all have arrived.
///
/// They sleep rather than spin, since there may be more of them than cores, and they block their
/// threads, which are their own.
struct Rendezvous: ~Copyable, Sendable {
  private let missing: Atomic<Int>
  private let isOpen = Atomic(false)
  private let opening = EventCounter()

  init(count: Int) {
    missing = Atomic(count)
  }

  /// Returns when all have arrived; the last one runs `last` before anybody goes on.
  borrowing func arrive(last: () -> Void = {}) {
    // Acquiring and releasing: what each did before its arrival is visible to the last one.
    if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      last()
      // Releasing: pairs with the loads below; what `last` did is visible to all.
      isOpen.store(true, ordering: .releasing)
      opening.signal()
      return
    }
    while true {
      let ticket = opening.ticket()
      if isOpen.load(ordering: .acquiring) { return }
      opening.wait(for: ticket)
    }
  }

  /// Whether all have arrived.
  var hasOpened: Bool { isOpen.load(ordering: .acquiring) }
}
