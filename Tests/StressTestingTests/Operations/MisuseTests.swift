import Interleaving
import Testing

@testable import StressTesting

/// What a stress test says about its own misuse.
@Suite(.serialized) struct MisuseTests {
  private let options = StressOptions.thorough(.threads)

  @Test func `a subject with random results is refused`() async throws {
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Dice() }, options: options) {
        StressOperation("roll") { $0.roll() }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .nondeterministicSubject)
    #expect(found.summary.contains("roll()"))
  }

  private final class ClassModel: Hashable, Sendable {
    static func == (left: ClassModel, right: ClassModel) -> Bool { left === right }
    func hash(into hasher: inout Hasher) {}
  }

  @Test func `a class is no model`() async throws {
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Counter() }, model: ClassModel(), options: options) {
        StressOperation("increment") {
          $0.increment()
        } model: { _ in
          1
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .modelIsNoValue)
    #expect(found.summary.contains("ClassModel"))
  }

  /// A structure whose copies share a counter.
  private struct SharingModel: Hashable, Sendable {
    private let counter = Counter()

    mutating func increment() -> Int { counter.increment() }

    static func == (left: SharingModel, right: SharingModel) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  @Test func `a structure whose copies share state is no model`() async throws {
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Counter() }, model: SharingModel(), options: options) {
        StressOperation("increment") {
          $0.increment()
        } model: {
          $0.increment()
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .modelIsNoValue)
    #expect(found.summary.contains("increment()"))
  }

  @Test func `lock-freedom of operations that suspend is refused`() async throws {
    var options = StressOptions.short
    options.requiresLockFreedom = true
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { ActorCounter() }, model: 0, options: options) {
        StressOperation("increment") {
          await $0.increment()
        } model: { count in
          count += 1
          return count
        }
      }
    }
    #expect(try #require(failure).kind == .unavailable)
  }

  @Test(arguments: [
    "", "wc1.threads.dictionary.g0.7", "st2.threads.0000.:0:.7", "st1.threads.0:.7",
  ])
  func `a malformed replay string is refused`(_ text: String) async throws {
    var options = options
    options.replay = text
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Counter() }, options: options) {
        StressOperation("increment") { $0.increment() }
      }
    }
    #expect(try #require(failure).kind == .unusableReplay)
  }
}
