/// The calls that made an object, without the monitor's own.
public struct CreationBacktrace: Sendable {
  private let symbolicate: @Sendable () -> [String]

  /// - Parameter symbolicate: gives a line for each call, the innermost first.
  public init(_ symbolicate: @escaping @Sendable () -> [String]) {
    self.symbolicate = symbolicate
  }

  /// A line for each call, the innermost first, as in "Session.init() at Session.swift:8".
  ///
  /// - Complexity: some milliseconds each time it is asked, since only then are the names looked up.
  public var frames: [String] { symbolicate() }
}
