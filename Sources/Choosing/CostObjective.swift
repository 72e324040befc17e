/// What shall be cheap.
public enum CostObjective: String, CaseIterable, Sendable {
  /// Nanoseconds an operation, as one thread sees it.
  case throughput
  /// The nanoseconds within which 99 of 100 operations end.
  case p99
  /// The bytes that an entry keeps allocated.
  case bytes
}
