/// The calls that made an object, without the monitor's own.
public struct CreationBacktrace: Sendable {
  private let symbolicate: @Sendable () -> [String]

  /// - Parameter symbolicate: gives a line for each call, the innermost first.
  public init(_ symbolicate: @escaping @Sendable () -> [String]) {
    self.symbolicate = symbolicate
  }

  /// A line for each call, the innermost first, as in "Session.init() at Session.swift:8".
  ///
  /// - Complexity: slow, since only now are the names looked up in the program's debug information:
  ///   milliseconds, and with a large program more than a second at first.
  public var frames: [String] { symbolicate() }
}
