#if canImport(XCTest) && !canImport(Darwin)
  import LeakMonitoring
  import Threading
  import WeakCollections
  import XCTest

  @testable import LeakTesting

  /// A failure that a fixture had.
  struct FixtureFailure: Equatable {
    var message: String
    /// Nil if it was at no place of the source.
    var line: UInt?
  }

  /// Runs `body` as a test of a class, as XCTest would, with a clock that leaps; returns its failures.
  ///
  /// On a thread of its own: XCTest blocks the one it runs on. One fixture at a time, since XCTest knows one
  /// running test.
  func failures<Fixture: XCTestCase>(
    of type: Fixture.Type, clock: LeapingClock = LeapingClock(),
    _ body: @escaping @Sendable (Fixture) throws -> Void = { _ in }
  ) async -> [FixtureFailure] {
    let found = MutexLock([FixtureFailure]())
    let record = { @Sendable (message: String, site: CallSite?) in
      found.write { $0.append(FixtureFailure(message: message, line: site?.line)) }
    }
    await onOwnThread {
      let fixture = type.init(name: "fixture") { testCase in
        guard let fixture = testCase as? Fixture else { return }
        try body(fixture)
      }
      RunningTest.$recorder.withValue(record) { clock.run { runOnce(fixture) } }
    }
    return found.read { $0 }
  }

  /// Runs a fixture without `run`, after which it and its run would keep each other.
  func runOnce(_ fixture: XCTestCase) {
    fixture.perform(XCTestCaseRun(test: fixture))
  }
#endif
