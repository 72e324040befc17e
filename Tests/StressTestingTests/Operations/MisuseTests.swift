import Interleaving
import Testing
import WeakCollections

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

  @Test func `a test without operations is refused`() async throws {
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Counter() }, options: options) {}
    }
    let found = try #require(failure)
    #expect(found.kind == .invalidOptions)
    #expect(found.summary.contains("there are no operations"))
  }

  @Test func `an option with which nothing would be tested is refused`() async throws {
    let cases: [(message: String, change: (inout StressOptions) -> Void)] = [
      ("threads must be at least 1, got 0...0", { $0.threads = 0...0 }),
      ("callsPerThread must be at least 1, got 0...2", { $0.callsPerThread = 0...2 }),
      ("callsBefore must be at least 0, got -1...0", { $0.callsBefore = -1...0 }),
      ("duration must be positive, got -1.0 seconds", { $0.duration = .seconds(-1) }),
      ("callTimeLimit must be positive, got 0.0 seconds", { $0.callTimeLimit = .zero }),
      ("minimizing must not be negative, got -1.0 seconds", { $0.minimizing = .seconds(-1) }),
      ("scenarios must be positive, got 0", { $0.scenarios = 0 }),
      ("drivers is empty; name one, or leave it nil", { $0.drivers = [] }),
    ]
    for (message, change) in cases {
      var options = StressOptions()
      change(&options)
      let ofCalls = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { Counter() }, options: options) {
          StressOperation("increment") { $0.increment() }
        }
      }
      let ofCollections = await failure(options) { options async throws(StressFailure) in
        try await stress(weakArray: { MutexWeakArray<StressObject>() }, options: options)
      }
      for found in [ofCalls, ofCollections] {
        #expect(found?.kind == .invalidOptions)
        #expect(found?.summary == message)
      }
    }
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
