import Foundation
import LeakTesting
import RuntimeInspection
import Testing
import WeakCollections

/// Runs `body` as the trait runs a test, with a clock that advances without waiting.
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

  @Test func `a test that tracks no object fails, at the test's line`() async throws {
    try await withKnownIssue {
      try await runTest(.noLeaks) {}
    } matching: { issue in
      issue.sourceLocation == Test.current?.sourceLocation
        && issue.comments.first?.rawValue.hasPrefix("nothing tracked") == true
    }
  }

  @Test func `a test may track no object if its trait allows that`() async throws {
    try await runTest(.noLeaks(allowEmpty: true)) {}
  }

  @Test func `objects that an inner scope or a detached task tracks count`() async throws {
    try await runTest(.noLeaks) { await withLeakScope { _ = track(Screen()) } }
    try await runTest(.noLeaks) {
      let scope = LeakScope.current
      await Task.detached { _ = scope?.track(Screen()) }.value
    }
  }

  @Test func `the test's trait, not its suite's, decides whether it may track nothing`()
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

  @Test func `a leak in a failed test is reported, the lack of tracked objects is not`()
    async throws
  {
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

  @Test(arguments: CarryingError.all)
  func `an object that only the error of a test holds is no leak`(_ error: CarryingError) async {
    await #expect(throws: (any Error).self) {
      try await runTest(.noLeaks) { throw error.make(track(Screen())) }
    }
    await #expect(throws: (any Error).self) {
      try await runTest(.noLeaks) {
        try await withLeakScope {
          try await withLeakScope { throw error.make(track(Screen())) }
        }
      }
    }
    LeapingClock().run {
      _ = #expect(throws: (any Error).self) {
        try withLeakScope { throw error.make(track(Screen())) }
      }
    }
  }

  @Test(.enabled(if: RetainSearch.capability == .available, "only a search sees the cycle"))
  func `an object that leaks is reported, though the error of the test holds it too`() async {
    let line = #line + 3
    await withKnownIssue {
      try? await runTest(.noLeaks) { [cycles] in
        throw CarryingError.Structure(object: track(cycles.make()))
      }
    } matching: {
      isSurvivor($0, at: line)
    }
  }

  @Test(arguments: zip([Screen(), Screen()], [1, 2]))
  func `a failure says that an argument of the test holds the object`(
    _ screen: Screen, _ number: Int
  ) async throws {
    try await withKnownIssue {
      try await runTest(.noLeaks) { track(screen) }
    } matching: {
      $0.comments.first?.rawValue.contains("an argument of the test holds it") == true
    }
    try await withKnownIssue {
      try await runTest(.noLeaks) { [cycles] in track(cycles.make()) }
    } matching: {
      $0.comments.first?.rawValue.contains("an argument of the test") == false
    }
  }

  @Test func `the grace period is that of the trait`() async throws {
    try await withKnownIssue {
      try await runTest(.noLeaks(grace: .seconds(7))) { [cycles] in track(cycles.make()) }
    } matching: {
      $0.comments.first?.rawValue.contains("expected to be gone within 7.0 seconds") == true
    }
  }
}

/// An error that holds an object in one of several ways.
struct CarryingError: Sendable, CustomTestStringConvertible {
  struct Structure: Error {
    let object: Screen
  }

  enum Payload: Error {
    case other
    case carrying(Int, Screen)
  }

  final class Reference: Error {
    let object: Screen

    init(_ object: Screen) { self.object = object }
  }

  struct Outer: Error {
    let cause: any Error
  }

  struct Outcome: Error {
    let result: Result<Screen, any Error>
  }

  let testDescription: String
  let make: @Sendable (Screen) -> any Error

  init(_ name: String, _ make: @escaping @Sendable (Screen) -> any Error) {
    testDescription = name
    self.make = make
  }

  static let all = [
    CarryingError("a struct") { Structure(object: $0) },
    CarryingError("an enum") { Payload.carrying(1, $0) },
    CarryingError("an object") { Reference($0) },
    CarryingError("an object in another error") { Outer(cause: Reference($0)) },
    CarryingError("a success") { Outcome(result: .success($0)) },
    CarryingError("a failure") { Outcome(result: .failure(Structure(object: $0))) },
    CarryingError("an NSError") { NSError(domain: "a", code: 1, userInfo: ["object": $0]) },
  ]
}

@Suite(.noLeaks) struct SuiteWithTrackedPropertyTests {
  private let screen = track(Screen())

  @Test(arguments: 0..<20) func `4.7 each case of a parameterized test has its own scope`(
    _ number: Int
  ) async {
    let scope = LeakScope.current
    await Task.yield()
    #expect(scope != nil && LeakScope.current === scope)
    #expect(SeenScopes.isNew(scope!))
  }

  @Test func `4.7 objects that the suite stores are checked after its deallocation`() {
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
  @Test func `4.7 concurrent tests do not mix their objects`() async throws {
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
