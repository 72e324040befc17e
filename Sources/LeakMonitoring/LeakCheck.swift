/// Something that looks like a leak, and is looked at again until it does not or its grace is over.
///
/// No two of these run at once for one check.
protocol LeakCheck: Sendable {
  /// What to report if it still looks like a leak, else nil.
  func look() -> LeakReport?

  /// Notes that it no longer looks like a leak; returns whether it is to be watched anew nevertheless.
  func dismiss() -> Bool

  /// Notes that `found` is about to be reported; returns it with its state.
  func conclude(_ found: LeakReport) -> LeakReport

  /// Notes that what was reported is gone, or is not waited for.
  func resolve(_ told: LeakReport)
}
