/// What a monitor has cost so far itself.
public struct MonitorCost: Sendable, Equatable {
  /// How many objects were validated or had a token made.
  public var validations: Int
  /// Of how many of those a backtrace was captured.
  public var backtraces: Int
  /// The time in all validations and in making all tokens, as estimated from those that were timed: all that are
  /// recorded, of the others the first and one in 64 after it. What a report takes is not in it.
  public var total: Duration

  public init(validations: Int = 0, backtraces: Int = 0, total: Duration = .zero) {
    self.validations = validations
    self.backtraces = backtraces
    self.total = total
  }
}
