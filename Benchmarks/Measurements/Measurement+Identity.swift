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

    public init(row: String, kind: Kind, run: String, timestamp: String) {
      self.row = row
      self.kind = kind
      self.run = run
      self.timestamp = timestamp
    }
  }
}
