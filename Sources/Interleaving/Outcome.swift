/// What an exploration found.
public struct Outcome: Sendable {
  public var executions: UInt64
  /// Steps of all executions.
  public var steps: UInt64
  /// Switches from one thread to another.
  public var switches: UInt64
  /// Steps to which a `Weakening` applied; 0 means that it names no site that was reached.
  public var weakenedSteps: UInt64
  public var elapsed: Duration
  /// Nil if every execution was right.
  public var failure: FailedExecution?
  /// Whether every schedule within the bound was tried.
  public var isExhaustive: Bool
  /// Whether a signal to end the process came first.
  public var isInterrupted: Bool
}

/// An execution that went wrong, with all that repeats it.
public struct FailedExecution: Sendable {
  public var failure: Failure
  public var seed: UInt64
  /// Its number in the exploration.
  public var execution: UInt64
  public var schedule: Schedule
  public var trace: [Step]
  /// The threads' names by their numbers; 0 is the scenario itself.
  public var threads: [String]
}
