/// That an object dies, as `MemoryLeakMonitor.expectDeallocation` was told; holds the object weakly.
///
/// It need not be kept: what is expected stays expected until it is cancelled.
public struct DeallocationExpectation: Sendable {
  private let checks: RunningChecks
  /// Nil if the monitor was off.
  private let number: Int?

  init(_ check: SurvivorCheck?, within duration: Duration, in checks: RunningChecks) {
    self.checks = checks
    number = check.map { checks.begin($0, grace: duration) }
  }

  /// Takes it back: the object may live on. After this call nothing is reported any more, but for a report
  /// that is under way; cancelling twice or late does nothing.
  public func cancel() {
    guard let number else { return }
    checks.cancel(number)
  }
}
