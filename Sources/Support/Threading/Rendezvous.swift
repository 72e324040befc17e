/// Where a fixed number of threads wait until all have arrived.
///
/// They sleep rather than spin, since there may be more of them than cores: they must be owned ones.
package final class Rendezvous: Sendable {
  private let missing: Monitor<Int>

  package init(count: Int) {
    missing = Monitor(count)
  }

  /// Returns when all have arrived; the last one runs `last` before anybody goes on.
  ///
  /// What each did before it arrived is visible to `last`, and what `last` did to all.
  package func arrive(last: () -> Void = {}) {
    missing.change { missing in
      if missing == 1 { last() }
      missing -= 1
    }
    missing.wait { $0 == 0 ? () : nil }
  }

  /// Whether all have arrived.
  package var hasOpened: Bool { missing.read { $0 == 0 } }
}
