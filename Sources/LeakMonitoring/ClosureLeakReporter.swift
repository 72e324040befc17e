/// Calls a closure for each leak.
public struct ClosureLeakReporter: LeakReporter {
  private let body: @Sendable (LeakReport) -> Void

  public init(_ body: @escaping @Sendable (LeakReport) -> Void) {
    self.body = body
  }

  public func report(_ leak: LeakReport) {
    body(leak)
  }
}

extension LeakReporter where Self == ClosureLeakReporter {
  /// Calls `body` for each leak.
  public static func closure(
    _ body: @escaping @Sendable (LeakReport) -> Void
  ) -> ClosureLeakReporter {
    ClosureLeakReporter(body)
  }
}
