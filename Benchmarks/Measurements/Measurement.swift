/// What one trial showed, and everything needed to repeat it: one row of the CSV.
///
/// What was not measured is `nil`, never 0. `MeasurementCSV` writes and reads it.
public struct Measurement: Hashable, Sendable {
  public var identity: Identity
  public var environment: Environment
  public var configuration: Configuration
  public var trial: Trial
  public var throughput: Throughput
  public var latency: Latency
  public var contention: Contention
  public var bytes: Bytes
  public var openLoop: OpenLoop
  /// What each role did; empty where workers have none. Kept in a file of its own.
  public var roles: [Role] = []

  public init(
    identity: Identity, environment: Environment, configuration: Configuration, trial: Trial,
    throughput: Throughput, latency: Latency = Latency(), contention: Contention = Contention(),
    bytes: Bytes = Bytes(), openLoop: OpenLoop = OpenLoop()
  ) {
    self.identity = identity
    self.environment = environment
    self.configuration = configuration
    self.trial = trial
    self.throughput = throughput
    self.latency = latency
    self.contention = contention
    self.bytes = bytes
    self.openLoop = openLoop
  }

  /// What is timed in a row.
  public enum Kind: String, CaseIterable, Sendable {
    /// A backend of ours.
    case subject
    /// The empty loop: what the benchmark itself costs.
    case baseline
    /// What people use instead of a backend of ours.
    case peer
  }
}
