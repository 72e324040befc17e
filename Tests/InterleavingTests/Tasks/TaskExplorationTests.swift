import Interleaving
import Testing

/// The strategies, each with enough executions for the faults below.
let taskStrategies: [Exploration.Strategy] = [
  .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
]

private func plan(_ strategy: Exploration.Strategy, seed: UInt64 = 1) -> Exploration {
  Exploration(strategy: strategy, seed: seed, executions: 10_000)
}

/// Expects that the search finds a failure, and that the text of its schedule repeats it.
func expectFault(
  _ strategy: Exploration.Strategy, _ message: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () async throws -> Void
) async throws {
  let outcome = await plan(strategy).runTasks(body)
  let failed = try #require(outcome.failure, sourceLocation: sourceLocation)
  #expect(failed.failure.description.contains(message), sourceLocation: sourceLocation)
  let schedule = try Schedule(parsing: failed.schedule.description)
  for _ in 0..<3 {
    let again = await Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
      .runTasks(body)
    #expect(again.failure?.failure == failed.failure, sourceLocation: sourceLocation)
    #expect(again.failure?.schedule == failed.schedule, sourceLocation: sourceLocation)
    #expect(again.failure?.trace == failed.trace, sourceLocation: sourceLocation)
  }
}

/// Expects that no search finds a failure, and that the one depth first is exhausted.
func expectNoFault(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () async throws -> Void
) async {
  for strategy in taskStrategies {
    var plan = plan(strategy)
    if case .depthFirst = strategy { plan.executions = 200_000 } else { plan.executions = 1000 }
    let outcome = await plan.runTasks(body)
    #expect(outcome.failure == nil, sourceLocation: sourceLocation)
    #expect(outcome.executions > 1, sourceLocation: sourceLocation)
    if case .depthFirst = strategy {
      #expect(outcome.isExhaustive, sourceLocation: sourceLocation)
    }
  }
}

/// Asynchronous code with faults and without, under the controlled executor.
@Suite(.serialized) struct TaskExplorationTests {
  // MARK: Actors

  @Test(arguments: taskStrategies)
  func `an account that is re-entered is overdrawn`(_ strategy: Exploration.Strategy) async throws {
    try await expectFault(strategy, "the balance is -60") {
      let account = ReentrantAccount(balance: 100)
      async let first = account.withdraw(80)
      async let second = account.withdraw(80)
      _ = await (first, second)
      let balance = await account.balance
      if balance < 0 { throw Wrong("the balance is \(balance)") }
    }
  }

  private struct Overdrawn: Error {}

  @Test func `an account is not overdrawn`() async throws {
    let plan = Exploration(
      strategy: .depthFirst(preemptionBound: 2), seed: 1, executions: 100_000)
    let outcome = await plan.runTasks {
      let account = Account(balance: 100)
      async let first = account.withdraw(80)
      async let second = account.withdraw(80)
      _ = await (first, second)
      if await account.balance < 0 { throw Overdrawn() }
    }
    if let failed = outcome.failure { throw failed }
  }

  @Test func `an account that withdraws before it suspends is not overdrawn`() async {
    await expectNoFault {
      let account = Account(balance: 100)
      async let first = account.withdraw(80)
      async let second = account.withdraw(80)
      _ = await (first, second)
      let balance = await account.balance
      if balance < 0 { throw Wrong("the balance is \(balance)") }
    }
  }

  @Test(arguments: taskStrategies)
  func `a re-entered cache on the main actor loads twice`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "2 loads") {
      let cache = MainCache()
      async let first = cache.value(for: "key")
      async let second = cache.value(for: "key")
      _ = await (first, second)
      let loads = await cache.loads
      if loads != 1 { throw Wrong("\(loads) loads") }
    }
  }

  // MARK: Continuations

  @Test(arguments: taskStrategies)
  func `a wake-up between check and registration is lost`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "lost wake-up or deadlock: the body waits") {
      let mailbox = Mailbox()
      async let mail: Void = mailbox.waitForMailInTwoSteps()
      await mailbox.deliver()
      await mail
    }
  }

  @Test func `a wake-up is not lost if check and registration are one step`() async {
    await expectNoFault {
      let mailbox = Mailbox()
      async let mail: Void = mailbox.waitForMail()
      await mailbox.deliver()
      await mail
    }
  }

  // MARK: Traps

  private actor Request {
    private var continuation: CheckedContinuation<Void, Never>?
    private var isPending = true

    func send(_ start: @Sendable () -> Void) async {
      await withCheckedContinuation { continuation in
        self.continuation = continuation
        start()
      }
    }

    private func resume() {
      isPending = false
      continuation?.resume()
    }

    /// The reply or the timeout, which suspends between its check and its act.
    func completeInTwoSteps() async {
      guard isPending else { return }
      await Task.yield()
      resume()
    }

    func complete() {
      if isPending { resume() }
    }
  }

  @Test(arguments: taskStrategies)
  func `a continuation that resumes twice is a failure, and the process lives on`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "tried to resume its continuation more than once") {
      let request = Request()
      await request.send {
        Task { await request.completeInTwoSteps() }
        Task { await request.completeInTwoSteps() }
      }
    }
  }

  @Test func `a continuation that resumes once is no failure`() async {
    await expectNoFault {
      let request = Request()
      await request.send {
        Task { await request.complete() }
        Task { await request.complete() }
      }
    }
  }

  @Test func `a trap has its message, its schedule and the names of its tasks`() async throws {
    let outcome = await plan(.randomWalk).runTasks {
      await Task.yield()
      fatalError("the end")
    }
    let failed = try #require(outcome.failure)
    guard case .trap(_, let message) = failed.failure else {
      Issue.record("\(failed)")
      return
    }
    #expect(message.contains("Fatal error: the end"))
    #expect(!failed.schedule.decisions.isEmpty)
    #expect(failed.threads == ["scenario", "task 1"])
    #expect(outcome.executions == 1)
  }

  // MARK: Tasks

  @Test(arguments: taskStrategies)
  func `children of a group lose an update`(_ strategy: Exploration.Strategy) async throws {
    try await expectFault(strategy, "the sum is 1") {
      let number = Number()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await number.incrementInTwoSteps() } }
      }
      let sum = await number.value
      if sum != 2 { throw Wrong("the sum is \(sum)") }
    }
  }

  @Test func `children of a group that increment in one step lose no update`() async {
    await expectNoFault {
      let number = Number()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await number.increment() } }
      }
      let sum = await number.value
      if sum != 3 { throw Wrong("the sum is \(sum)") }
    }
  }

  @Test(arguments: taskStrategies)
  func `unstructured and detached tasks lose an update`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "the sum is 1") {
      let number = Number()
      let first = Task { await number.incrementInTwoSteps() }
      let second = Task.detached { await number.incrementInTwoSteps() }
      _ = await (first.value, second.value)
      let sum = await number.value
      if sum != 2 { throw Wrong("the sum is \(sum)") }
    }
  }

  // MARK: Streams

  @Test(arguments: taskStrategies)
  func `a stream that one of two producers finishes loses an element`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "1 element") {
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      for number in 0..<2 {
        Task {
          continuation.yield(number)
          continuation.finish()
        }
      }
      let count = await stream.reduce(0) { count, _ in count + 1 }
      if count != 2 { throw Wrong("\(count) element") }
    }
  }

  @Test func `a stream that ends after both producers loses no element`() async {
    await expectNoFault {
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      let producers = (0..<2).map { number in Task { _ = continuation.yield(number) } }
      Task {
        for producer in producers { await producer.value }
        continuation.finish()
      }
      let count = await stream.reduce(0) { count, _ in count + 1 }
      if count != 2 { throw Wrong("\(count) element") }
    }
  }

  // MARK: Cancellation

  private static func cancelOneOfTwo(_ permits: Permits) async {
    let first = Task { await permits.acquire() }
    let second = Task {
      if await permits.acquire() { await permits.release() }
    }
    await Task.yield()
    first.cancel()
    await permits.release()
    if await first.value { await permits.release() }
    await second.value
  }

  @Test(arguments: taskStrategies)
  func `a cancelled waiter that stays in the queue takes a permit`(
    _ strategy: Exploration.Strategy
  ) async throws {
    try await expectFault(strategy, "lost wake-up or deadlock") {
      await Self.cancelOneOfTwo(Permits(0, keepsCancelledWaiters: true))
    }
  }

  @Test func `a cancelled waiter that leaves the queue takes no permit`() async {
    await expectNoFault {
      await Self.cancelOneOfTwo(Permits(0, keepsCancelledWaiters: false))
    }
  }
}
