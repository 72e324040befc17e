import LeakMonitoring
import WeakCollections

@testable import LeakTesting

/// A failure that a fixture had.
struct FixtureFailure: Equatable {
  var message: String
  /// Nil if it was at no place of the source.
  var line: UInt?
}

/// Keeps the failures of what it runs, instead of their test.
final class RecordedFailures: Sendable {
  private let found = MutexLock([FixtureFailure]())

  var all: [FixtureFailure] { found.read { $0 } }

  func run<R>(_ body: () throws -> R) rethrows -> R {
    try RunningTest.$recorder.withValue(record, operation: body)
  }

  func run<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await RunningTest.$recorder.withValue(record, operation: body, isolation: isolation)
  }

  private var record: @Sendable (String, CallSite?) -> Void {
    { message, site in
      self.found.write { $0.append(FixtureFailure(message: message, line: site?.line)) }
    }
  }
}
