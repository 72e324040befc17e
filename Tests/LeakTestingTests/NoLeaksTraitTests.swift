import LeakTesting
import Testing
import WeakCollections

/// Runs `body` as the trait runs a test, with a clock that leaps.
private func runTest(
  _ trait: NoLeaksTrait, _ body: @escaping @Sendable () async throws -> Void
) async throws {
  try await LeapingClock().run {
    try await trait.provideScope(for: Test.current!, testCase: Test.Case.current, performing: body)
  }
}

@Suite struct NoLeaksTraitTests {
  private let cycles = Cycles()

  @Test func `4.3 a survivor of the test fails the line that tracks it`() async throws {
    let line = #line + 2
    try await withKnownIssue {
      try await runTest(.noLeaks) { [cycles] in track(cycles.make()) }
    } matching: {
      isSurvivor($0, at: line)
    }
  }

  @Test func `a test that tracks nothing fails, at the test`() async throws {
    try await withKnownIssue {
      try await runTest(.noLeaks) {}
    } matching: { issue in
      issue.sourceLocation == Test.current?.sourceLocation
        && issue.comments.first?.rawValue.hasPrefix("nothing tracked") == true
    }
  }

  @Test func `it may, if it says so`() async throws {
    try await runTest(.noLeaks(allowEmpty: true)) {}
  }

  @Test func `what an inner scope or detached work tracks counts`() async throws {
    try await runTest(.noLeaks) { await withLeakScope { _ = track(Screen()) } }
    try await runTest(.noLeaks) {
      let scope = LeakScope.current
      await Task.detached { _ = scope?.track(Screen()) }.value
    }
  }

  @Test func `the trait of the test, not of its suite, says whether it may track nothing`()
    async throws
  {
    try await runTest(.noLeaks) {
      try await runTest(.noLeaks(allowEmpty: true)) {}
    }
    try await withKnownIssue {
      try await runTest(.noLeaks(allowEmpty: true)) {
        try await runTest(.noLeaks) {}
      }
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("nothing tracked") == true
    }
  }

  @Test func `a leak in a test that failed is reported, and nothing tracked is not`() async throws {
    struct Failure: Error {}
    let messages = MutexLock([String]())
    try await withKnownIssue {
      try await runTest(.noLeaks) { [cycles] in
        track(cycles.make())
        throw Failure()
      }
    } matching: { issue in
      messages.write { $0.append(issue.comments.first?.rawValue ?? "\(issue.error!)") }
      return true
    }
    #expect(messages.read { $0.map { String($0.prefix(7)) } } == ["Screen:", "Failure"])
    await #expect(throws: Failure.self) { try await runTest(.noLeaks) { throw Failure() } }
  }

  @Test func `grace is the trait's`() async throws {
    try await withKnownIssue {
      try await runTest(.noLeaks(grace: .seconds(7))) { [cycles] in track(cycles.make()) }
    } matching: {
      $0.comments.first?.rawValue.contains("expected to be gone within 7.0 seconds") == true
    }
  }
}

@Suite(.noLeaks) struct SuiteWithTrackedPropertyTests {
  private let screen = track(Screen())

  @Test(arguments: 0..<20) func `4.7 each case of each test has a scope`(_ number: Int) async {
    let scope = LeakScope.current
    await Task.yield()
    #expect(scope != nil && LeakScope.current === scope)
    #expect(SeenScopes.isNew(scope!))
  }

  @Test func `4.7 what the suite stores is checked after it is gone`() {
    withExtendedLifetime(screen) {}
  }
}

/// The scopes seen so far.
private enum SeenScopes {
  private static let scopes = MutexLock([LeakScope]())

  static func isNew(_ scope: LeakScope) -> Bool {
    scopes.write { scopes in
      defer { scopes.append(scope) }
      return !scopes.contains { $0 === scope }
    }
  }
}

@Suite struct ParallelScopesTests {
  @Test func `4.7 tests that run at once do not mix`() async throws {
    let cycles = Cycles()
    let lines = MutexLock([Int?]())
    let count = 100
    try await withKnownIssue {
      try await withThrowingTaskGroup { group in
        for number in 0..<count {
          group.addTask {
            try await runTest(.noLeaks) {
              let scope = LeakScope.current
              track(Screen())
              await Task.yield()
              #expect(LeakScope.current === scope)
              if number == 42 { track(cycles.make()) }
            }
          }
        }
        try await group.waitForAll()
      }
    } matching: { issue in
      lines.write { $0.append(issue.sourceLocation?.line) }
      return true
    }
    #expect(lines.read { $0.count } == 1)
  }
}

// An example of Swift Testing; the example of XCTest is in `XCTest/`.

@Suite(.noLeaks)
struct ScreenTests {
  let screen = track(Screen())  // Must be gone when the test is.

  @Test(arguments: [1, 2]) func `it opens`(_ times: Int) {
    for _ in 0..<times { screen.open() }
  }

  @Test func `it closes`() async {
    await withLeakScope {
      let screen = track(Screen())
      screen.close()
    }
    await expectDeallocated { Screen() }
  }
}
