/// Tells several reporters, one after the other.
public struct CombinedLeakReporter: LeakReporter {
  private let reporters: [any LeakReporter]

  /// They are told in this order: one that may end the process, such as `.standard`, comes last.
  public init(_ reporters: [any LeakReporter]) {
    self.reporters = reporters
  }

  public func report(_ leak: LeakReport) {
    for reporter in reporters { reporter.report(leak) }
  }
}

extension LeakReporter where Self == CombinedLeakReporter {
  /// Tells each of `reporters`, in order.
  public static func all(_ reporters: any LeakReporter...) -> CombinedLeakReporter {
    CombinedLeakReporter(reporters)
  }
}
