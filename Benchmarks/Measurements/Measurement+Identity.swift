extension Measurement {
  /// Which row this is, among all that were ever written.
  public struct Identity: Hashable, Sendable {
    /// Unique in all files: the run and a number, such as `run-2fa9-17`.
    public var row: String
    public var kind: Kind
    /// Shared by the rows of one `weakbench run`.
    public var run: String
    /// When the trial ended: ISO 8601 in UTC, such as `2026-08-01T12:34:56Z`.
    public var timestamp: String
    /// Shared by rows of the same options, seed and program, whichever runs and machines they are of.
    public var plan: String?
    /// Which part of the plan the run was to make, such as `2-of-4`; `nil` for all of it.
    public var shard: String?

    public init(
      row: String, kind: Kind, run: String, timestamp: String, plan: String? = nil,
      shard: String? = nil
    ) {
      self.row = row
      self.kind = kind
      self.run = run
      self.timestamp = timestamp
      self.plan = plan
      self.shard = shard
    }
  }
}
