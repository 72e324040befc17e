/// Is told about leaks.
public protocol LeakReporter: Sendable {
  /// Called outside every exclusion, on the thread whose `validate` found the leak, so perhaps on several
  /// threads at once.
  func report(_ leak: LeakReport)
}
