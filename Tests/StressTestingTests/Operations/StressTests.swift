import Interleaving
import Testing
import Threading

@testable import StressTesting

/// The declarative test, with subjects that are right and with seeded faults.
@Suite(.serialized) struct StressTests {
  @Test func `a bounded queue is linearizable`() async throws {
    try await stress(makeSubject: { BoundedQueue(capacity: 2) }, model: QueueModel(capacity: 2)) {
      StressOperation("enqueue", 1...4) {
        $0.enqueue($1)
      } model: {
        $0.enqueue($1)
      }
      StressOperation("dequeue") {
        $0.dequeue()
      } model: {
        $0.dequeue()
      }
    }
  }

  @Test func `a counter can be its own model`() async throws {
    try await stress(makeSubject: { Counter() }) {
      StressOperation("increment") { $0.increment() }
      StressOperation("value") { $0.value }
    }
  }

  @Test func `each driver runs executions, and the summary counts them`() async throws {
    var options = StressOptions.short
    options.seed = 7
    let summary = try await stress(makeSubject: { Counter() }, options: options) {
      StressOperation("increment") { $0.increment() }
      StressOperation("value") { $0.value }
    }
    #expect(summary.seed == 7)
    #expect(summary.scenarios == options.scenarios)
    #expect(summary.threadExecutions > 0)
    #expect((summary.scheduledExecutions > 0) == Exploration.isAvailable)
  }

  @Test func `an operation that throws has the error as its result`() async throws {
    try await stress(makeSubject: { Stock() }, model: 2, options: .short) {
      StressOperation("buy") {
        try $0.buy()
      } model: { left throws in
        guard left > 0 else { throw Stock.Failure.soldOut }
        left -= 1
        return left
      }
    }
  }

  @Test(arguments: drivers)
  func `a counter that checks and then acts fails, and the report names the calls`(
    _ driver: StressOptions.Driver
  ) async throws {
    let failure = await failure(.thorough(driver)) { options async throws(StressFailure) in
      try await stress(makeSubject: { CheckThenActCounter() }, options: options) {
        StressOperation("increment") { $0.increment() }
        StressOperation("value") { $0.value }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .notLinearizable)
    let report = found.description
    #expect(report.contains("thread 0") && report.contains("thread 1"))
    #expect(report.contains("increment()"))
    #expect(report.contains("StressTests.swift:"))
    #expect(report.contains("STRESS_REPLAY=st1.\(driver == .threads ? "threads" : "schedule")."))
    // The place of a switch is a line of the subject.
    #expect(report.contains("Subjects.swift:") == (driver == .schedules))
  }

  @Test(arguments: drivers)
  func `a queue that loses an element fails`(_ driver: StressOptions.Driver) async throws {
    let failure = await failure(.thorough(driver)) { options async throws(StressFailure) in
      try await stress(makeSubject: { LossyQueue() }, model: [Int](), options: options) {
        StressOperation("enqueue", 1...3) {
          $0.enqueue($1)
        } model: {
          $0.append($1)
        }
        StressOperation("dequeue") {
          $0.dequeue()
        } model: {
          $0.isEmpty ? nil : $0.removeFirst()
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .notLinearizable)
    #expect(found.description.contains("dequeue()"))
  }

  @Test func `a fault that a single thread shows fails too, with one thread`() async throws {
    var options = StressOptions.thorough(.threads)
    options.callsBefore = 0...0
    // Ends when nothing can be taken away: every execution fails.
    options.minimizing = StressOptions.hangLimit
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { Counter() }, model: 1, options: options) {
        StressOperation("increment") {
          $0.increment()
        } model: { count in
          count += 1
          return count
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .notLinearizable)
    #expect(!found.description.contains("thread 1"))
    #expect(found.description.contains("✗ increment() → 1, the model returns 2"))
  }

  @Test func `a call that never returns is named`() async throws {
    let calls = Threading.Counter()
    var options = StressOptions.thorough(.threads)
    // The limit passes when a call hangs. On a busy machine, time could pass before the call.
    options.waitForCallTimeLimit = { _ in
      while calls.total == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { ClosedLatch() }, options: options) {
        StressOperation("pass") {
          calls.add()
          $0.pass()
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .neverReturned)
    #expect(found.summary.contains("pass()"))
  }

  @Test func `an actor without suspensions in its operation passes`() async throws {
    try await stress(makeSubject: { ActorCounter() }, model: 0, options: .short) {
      StressOperation("increment") {
        await $0.increment()
      } model: { count in
        count += 1
        return count
      }
    }
  }

  @Test func `an actor that is re-entered fails`() async throws {
    let failure = await failure(.thorough(.threads)) { options async throws(StressFailure) in
      try await stress(makeSubject: { ReentrantCounter() }, model: 0, options: options) {
        StressOperation("increment") {
          await $0.increment()
        } model: { count in
          count += 1
          return count
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .notLinearizable)
    #expect(found.description.contains("increment()"))
  }

  @Test func `a failure on threads is found again from its replay string`() async throws {
    let first = try #require(await lossyFailure(.thorough(.threads)))
    var options = StressOptions.thorough(.threads)
    options.replay = first.replay
    let second = try #require(await lossyFailure(options))
    #expect(second.kind == .notLinearizable)
    #expect(second.replay == first.replay)
  }

  static let drivers: [StressOptions.Driver] =
    Exploration.isAvailable ? [.threads, .schedules] : [.threads]

  private func lossyFailure(_ options: StressOptions) async -> StressFailure? {
    await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { LossyQueue() }, model: [Int](), options: options) {
        StressOperation("enqueue", 1...3) {
          $0.enqueue($1)
        } model: {
          $0.append($1)
        }
        StressOperation("dequeue") {
          $0.dequeue()
        } model: {
          $0.isEmpty ? nil : $0.removeFirst()
        }
      }
    }
  }
}

/// Returns the failure of a test; `nil` if it passes.
func failure(
  _ options: StressOptions, of test: (StressOptions) async throws(StressFailure) -> StressSummary
) async -> StressFailure? {
  do throws(StressFailure) {
    _ = try await test(options)
    return nil
  } catch {
    return error
  }
}

extension StressOptions {
  /// A time that only a test that hangs reaches, or a search that finds nothing.
  static var hangLimit: Duration { .seconds(600) }

  /// A test of something right, in a few scenarios.
  static var short: StressOptions {
    var options = StressOptions()
    options.duration = hangLimit
    options.scenarios = 10
    return options
  }

  /// A test that ends when it finds a fault.
  ///
  /// A minimization of schedules ends when nothing can be taken away, and its result depends on the
  /// seed alone. On threads an attempt fails only occasionally, so there is none.
  static func thorough(_ driver: Driver) -> StressOptions {
    var options = StressOptions()
    options.drivers = [driver]
    options.duration = hangLimit
    options.minimizing = driver == .schedules ? hangLimit : .zero
    options.seed = 20_260_721
    return options
  }
}
