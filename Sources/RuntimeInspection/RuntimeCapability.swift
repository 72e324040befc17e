/// Whether something that reads what the runtime keeps to itself can be had here; a probe says.
public enum RuntimeCapability: Sendable, Equatable {
  case available
  /// Not here, with a reason for people.
  case unavailable(String)
}
