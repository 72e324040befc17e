import Dispatch
import Foundation
import Interleaving
import Testing

@testable import StressTesting

/// An account that is re-entered between its check and its withdrawal.
private actor ReentrantAccount {
  private var balance = 2
  private let audits = Counter()

  func withdraw() async -> Bool {
    guard balance > 0 else { return false }
    await audit()
    balance -= 1
    return true
  }

  func deposit() { balance += 1 }
  var current: Int { balance }

  // Not inlined, so that the report has its name in an optimized build too.
  @inline(never)
  private nonisolated func audit() async { _ = audits.increment() }
}

/// An account that checks and withdraws in one step.
private actor AtomicAccount {
  private var balance = 2
  private let audits = Counter()

  func withdraw() async -> Bool {
    guard balance > 0 else { return false }
    balance -= 1
    await audit()
    return true
  }

  func deposit() { balance += 1 }
  var current: Int { balance }

  private nonisolated func audit() async { _ = audits.increment() }
}

/// An account that traps if it is re-entered between its check and its withdrawal.
private actor TrappingAccount {
  private var balance = 1
  private let audits = Counter()

  func withdraw() async {
    guard balance > 0 else { return }
    await audit()
    withdrawAll()
  }

  func withdrawAll() {
    guard balance > 0 else { fatalError("overdrawn") }
    balance -= 1
  }

  private nonisolated func audit() async { _ = audits.increment() }
}

/// A latch that no operation opens.
private actor SuspendingLatch {
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func pass() async { await withCheckedContinuation { waiters.append($0) } }
}

/// A serial executor on a queue.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "QueueExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor with an executor of its own.
private actor QueueCounter {
  private let executor = QueueExecutor()
  private var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func increment() -> Int {
    count += 1
    return count
  }
}

#if os(Linux)
  /// An actor that sleeps in a call.
  private actor Sleeper {
    func nap() { usleep(100) }
  }
#endif

/// A counter that blocks its thread.
private final class BlockingCounter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func increment() async -> Int {
    wait()
    return 1
  }

  private func wait() { semaphore.wait() }
}

/// Actors and operations that suspend, under the controlled executor.
@Suite(.serialized) struct StressTasksTests {
  @Test func `an actor's counter is linearizable`() async throws {
    try await stress(makeSubject: { ActorCounter() }, model: 0) {
      StressOperation("increment") {
        await $0.increment()
      } model: { count in
        count += 1
        return count
      }
    }
  }

  private func testReentrantAccount(_ options: StressOptions) async -> StressFailure? {
    await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { ReentrantAccount() }, model: 2, options: options) {
        StressOperation("withdraw") {
          await $0.withdraw()
        } model: { balance in
          guard balance > 0 else { return false }
          balance -= 1
          return true
        }
        StressOperation("deposit") {
          await $0.deposit()
        } model: { balance in
          balance += 1
        }
        StressOperation("balance") {
          await $0.current
        } model: { balance in
          balance
        }
      }
    }
  }

  @Test func `an account that is re-entered fails within 20 scenarios, and its string repeats it`()
    async throws
  {
    var options = StressOptions.thorough(.schedules)
    options.scenarios = 20
    let first = try #require(await testReentrantAccount(options))
    #expect(first.kind == .notLinearizable)
    let report = first.description
    #expect(report.contains("thread 0") && report.contains("thread 1"))
    #expect(report.contains("withdraw()"))
    #expect(report.contains("The schedule, with"))
    #expect(report.contains("run  StressTestingTests.ReentrantAccount.audit()"))
    #expect(!report.contains(" in _"))
    options.replay = first.replay
    #expect(options.replay != nil)
    for _ in 0..<2 {
      let second = try #require(await testReentrantAccount(options))
      #expect(second.summary == first.summary)
      #expect(second.replay == first.replay)
    }
  }

  @Test func `the same seed finds the same failure`() async throws {
    let options = StressOptions.thorough(.schedules)
    let first = try #require(await testReentrantAccount(options))
    let second = try #require(await testReentrantAccount(options))
    #expect(second.description == first.description)
  }

  @Test(arguments: [StressOptions.Driver.threads, .schedules])
  func `an account that is not re-entered passes`(_ driver: StressOptions.Driver) async throws {
    var options = StressOptions.short
    options.drivers = [driver]
    let summary = try await stress(
      makeSubject: { AtomicAccount() }, model: 2, options: options
    ) {
      StressOperation("withdraw") {
        await $0.withdraw()
      } model: { balance in
        guard balance > 0 else { return false }
        balance -= 1
        return true
      }
      StressOperation("deposit") {
        await $0.deposit()
      } model: { balance in
        balance += 1
      }
      StressOperation("balance") {
        await $0.current
      } model: { balance in
        balance
      }
    }
    #expect((summary.scheduledExecutions > 100) == (driver == .schedules))
    #expect((summary.threadExecutions > 100) == (driver == .threads))
  }

  @Test func `without a choice of drivers, threads and schedules run`() async throws {
    let summary = try await stress(makeSubject: { ActorCounter() }, model: 0, options: .short) {
      StressOperation("increment") {
        await $0.increment()
      } model: { count in
        count += 1
        return count
      }
    }
    #expect(summary.threadExecutions > 0)
    #expect(summary.scheduledExecutions > 0)
  }

  @Test func `calls that wait without end are a deadlock, and are named`() async throws {
    let failure = await failure(.thorough(.schedules)) { options async throws(StressFailure) in
      try await stress(makeSubject: { SuspendingLatch() }, model: 0, options: options) {
        StressOperation("pass") {
          await $0.pass()
        } model: { _ in
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .deadlock)
    #expect(found.summary.contains("lost wake-up or deadlock"))
    #expect(found.summary.contains("not returned: pass()"))
    #expect(found.replay != nil)
  }

  // MARK: Traps

  private func testOverdraft(_ options: StressOptions) async throws(StressFailure) -> StressSummary
  {
    try await stress(makeSubject: { TrappingAccount() }, model: 1, options: options) {
      StressOperation("withdraw") {
        await $0.withdraw()
      } model: { balance in
        balance = max(0, balance - 1)
      }
    }
  }

  @Test func `a trap is a failure with its calls, and its string repeats it`() async throws {
    var options = StressOptions.thorough(.schedules)
    let first = try #require(await failure(options, of: testOverdraft))
    #expect(first.kind == .crash)
    #expect(first.summary.contains("Fatal error: overdrawn"))
    #expect(first.summary.contains("not returned: withdraw()"))
    #expect(first.description.contains("The schedule, with"))
    options.replay = first.replay
    #expect(options.replay != nil)
    let second = try #require(await failure(options, of: testOverdraft))
    #expect(second.summary == first.summary)
    #expect(second.replay == first.replay)
  }

  @Test func `without a choice of drivers, schedules find a trap before a thread has it`()
    async throws
  {
    var options = StressOptions()
    options.duration = StressOptions.hangLimit
    #expect(await failure(options, of: testOverdraft)?.kind == .crash)
  }

  @Test func `a trap on a thread of the system reports its calls before the process ends`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var options = StressOptions.thorough(.threads)
      options.callsPerThread = 2...2
      try await stress(makeSubject: { TrappingAccount() }, model: 1, options: options) {
        StressOperation("withdrawAll") {
          await $0.withdrawAll()
        } model: { balance in
          balance = 0
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Fatal error: overdrawn"))
    #expect(text.contains("StressTasksTests.swift:"))
    #expect(text.contains("  withdrawAll()"))
    #expect(text.contains("STRESS_REPLAY=st1.threads."))
  }

  // MARK: Misuse

  @Test func `an actor with an executor of its own is refused`() async throws {
    for options in [StressOptions.thorough(.schedules), .short] {
      let found = try #require(
        await withPatience {
          await failure(options) { options async throws(StressFailure) in
            try await testQueueCounter(options)
          }
        })
      #expect(found.kind == .uncontrolledSubject)
      #expect(found.summary.contains("another thread resumed"))
      #expect(found.summary.contains("options.drivers = [.threads]"))
    }
  }

  @Test func `an actor with an executor of its own runs on threads on request`() async throws {
    var options = StressOptions.short
    options.drivers = [.threads]
    let summary = try await testQueueCounter(options)
    #expect(summary.threadExecutions > 0)
    #expect(summary.scheduledExecutions == 0)
  }

  #if os(Linux)
    @Test func `an asynchronous call that sleeps outside of the scheduler is refused`()
      async throws
    {
      let failure = await failure(.short) { options async throws(StressFailure) in
        try await stress(makeSubject: { Sleeper() }, model: 0, options: options) {
          StressOperation("nap") {
            await $0.nap()
          } model: { _ in
          }
        }
      }
      let found = try #require(failure)
      #expect(found.kind == .uncontrolledSubject)
      #expect(found.summary.contains("hardly any schedule"))
    }
  #endif

  /// Runs a test in which another thread resumes a task, perhaps late on a busy machine.
  private func withPatience<R>(_ body: () async throws -> R) async rethrows -> R {
    try await Exploration.$standardEscapeGrace.withValue(StressOptions.hangLimit, operation: body)
  }

  private func testQueueCounter(
    _ options: StressOptions
  ) async throws(StressFailure) -> StressSummary {
    try await stress(makeSubject: { QueueCounter() }, model: 0, options: options) {
      StressOperation("increment") {
        await $0.increment()
      } model: { count in
        count += 1
        return count
      }
    }
  }

  @Test func `a call that blocks its thread is refused`() async throws {
    var options = StressOptions.thorough(.schedules)
    // Every call blocks, so it does not matter whether one has begun when the time is over.
    options.callTimeLimit = .milliseconds(200)
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(makeSubject: { BlockingCounter() }, model: 0, options: options) {
        StressOperation("increment") {
          await $0.increment()
        } model: { _ in
          1
        }
      }
    }
    let found = try #require(failure)
    #expect(found.kind == .uncontrolledSubject)
    #expect(found.summary.contains("blocked its thread"))
  }
}
