import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakTesting

/// An object that can retain itself.
final class Screen: Sendable {
  private let kept = MutexLock<Screen?>(nil)

  func open() {}
  func close() {}

  func keepItself() { kept.write { $0 = self } }

  /// Breaks the cycle; the screen is released outside the lock.
  func breakCycles() {
    let kept = kept.write { kept in
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(kept) {}
  }
}

/// Screens that leak until their test ends, so that the sanitizer does not find them.
final class Cycles: Sendable {
  /// Weak, so that this object does not retain the screens.
  private let references = MutexLock([WeakReference<Screen>]())

  func make() -> Screen {
    let screen = Screen()
    keep(screen)
    return screen
  }

  func keep(_ screen: Screen) {
    screen.keepItself()
    references.write { $0.append(WeakReference(screen)) }
  }

  /// Breaks all cycles.
  func breakCycles() {
    for reference in references.read({ $0 }) { reference.promote()?.breakCycles() }
  }

  deinit { breakCycles() }
}

/// Returns whether `issue` is about a surviving screen, at the given line.
func isSurvivor(_ issue: Issue, at line: Int) -> Bool {
  issue.sourceLocation?.line == line
    && issue.comments.first?.rawValue.hasPrefix(
      "Screen: an instance of LeakTestingTests.Screen is alive, expected to be gone within "
        + "1.0 seconds") == true
}

/// A failure that a fixture recorded.
struct FixtureFailure: Equatable {
  var message: String
  /// The line of the failure; nil if it has no source location.
  var line: UInt?
}

/// Collects the failures of the code that it runs, so that the running test does not fail.
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
