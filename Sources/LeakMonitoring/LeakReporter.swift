/// Is told about leaks, and about what would be leaks: see `LeakState`.
public protocol LeakReporter: Sendable {
  /// Called outside every exclusion, on the thread whose `validate` found it or in a task that waited, so
  /// perhaps several times at once.
  func report(_ leak: LeakReport)
}
