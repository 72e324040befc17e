#if canImport(XCTest) && !canImport(Darwin)
  import Threading
  import XCTest

  /// Runs `body` as a test of a class, as XCTest would, with a clock that leaps; returns its failures.
  ///
  /// On a thread of its own: XCTest blocks the one it runs on. One fixture at a time, since XCTest knows one
  /// running test.
  func failures<Fixture: XCTestCase>(
    of type: Fixture.Type, clock: LeapingClock = LeapingClock(),
    _ body: @escaping @Sendable (Fixture) throws -> Void = { _ in }
  ) async -> [FixtureFailure] {
    let failures = RecordedFailures()
    await onOwnThread {
      let fixture = type.init(name: "fixture") { testCase in
        guard let fixture = testCase as? Fixture else { return }
        try body(fixture)
      }
      failures.run { clock.run { runOnce(fixture) } }
    }
    return failures.all
  }

  /// Runs a fixture without `run`, after which it and its run would keep each other.
  func runOnce(_ fixture: XCTestCase) {
    fixture.perform(XCTestCaseRun(test: fixture))
  }
#endif
