import WeakCollections

/// What a scenario has beside threads that do as they please.
package enum Role: String, CaseIterable, Sendable {
  case none
  /// Many objects die in a row while others look.
  case dropStorm
  /// Objects whose `deinit` uses the collection.
  case reentrancy
  /// Threads that are born during the run, and end during it.
  case births
  /// A reader that stays pinned through all its reads.
  case pinnedReader
  /// Enough entries or keys for the structure to grow and to shrink.
  case churn
  /// Sixteen times as many threads as cores, with few operations each.
  case crowd

  /// Whether it keeps to the few operations that a schedule can be searched for.
  var isSmall: Bool { self != .churn && self != .crowd }

  /// Whether it needs operations that cannot suspend: a `deinit` cannot wait, nor can a pin, and tasks
  /// have no threads that could be born.
  var needsSynchronousSubject: Bool {
    self == .reentrancy || self == .births || self == .pinnedReader
  }
}
