extension Measurement {
  /// How much the threads were in each other's way.
  public struct Contention: Hashable, Sendable {
    /// How evenly the operations fell to the threads; see `JainIndex`.
    public var jainIndex: Double?
    /// How often a thread gave up its core to wait.
    public var voluntarySwitchesPerOperation: Double?
    /// How often a thread's core was taken away.
    public var involuntarySwitchesPerOperation: Double?
    public var casFailuresPerOperation: Double?

    public init(
      jainIndex: Double? = nil, voluntarySwitchesPerOperation: Double? = nil,
      involuntarySwitchesPerOperation: Double? = nil, casFailuresPerOperation: Double? = nil
    ) {
      self.jainIndex = jainIndex
      self.voluntarySwitchesPerOperation = voluntarySwitchesPerOperation
      self.involuntarySwitchesPerOperation = involuntarySwitchesPerOperation
      self.casFailuresPerOperation = casFailuresPerOperation
    }
  }
}
