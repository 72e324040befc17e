/// Fails an assertion for each leak, at the place of its `validate`; in release builds it does nothing.
///
/// Only states that are a failure fail; it keeps the others to itself.
public struct AssertionLeakReporter: LeakReporter {
  public init() {}

  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    assertionFailure(leak.messageWithHolders, file: leak.site.fileID, line: leak.site.line)
  }
}

extension LeakReporter where Self == AssertionLeakReporter {
  /// An assertion failure for each leak, also in tests.
  public static var assertion: AssertionLeakReporter { AssertionLeakReporter() }
}
