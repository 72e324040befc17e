/// A caller's mistake, and what it prints before it ends the process.
public struct Trap: Sendable {
  /// The line on standard error, without what the runtime adds to it.
  public let line: String
  /// Makes the mistake.
  public let provoke: @Sendable () async throws -> Void

  /// Creates a trap.
  public init(_ line: String, _ provoke: @escaping @Sendable () async throws -> Void) {
    self.line = line
    self.provoke = provoke
  }
}
