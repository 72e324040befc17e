import Dispatch
import Interleaving
import Testing

/// A serial executor on a queue.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "QueueExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor with an executor of its own.
private actor QueueActor {
  private let executor = QueueExecutor()
  private(set) var calls = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func call() { calls += 1 }
}

/// Resumes a continuation on another thread after its task has suspended: one thread runs all tasks
/// of an execution, so it runs the new task later.
private func resumeOnAnotherThread(_ continuation: CheckedContinuation<Void, Never>) {
  Task { DispatchQueue.global().async { continuation.resume() } }
}

/// What the controlled executor controls, and what it reports as escaped.
///
/// The time limit is for a sleep that takes real time, of hours.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TaskControlTests {
  private func explore(
    _ strategy: Exploration.Strategy, seed: UInt64 = 1, executions: Int = 1000,
    stepLimit: Int = 20_000, _ body: @escaping @Sendable () async throws -> Void
  ) async -> Outcome {
    await Exploration(
      strategy: strategy, seed: seed, executions: executions, stepLimit: stepLimit
    ).runTasks(body)
  }

  // MARK: Interleavings

  /// Three tasks append their letters, and suspend before each.
  private static func write(into text: Shared<String>) async {
    await withTaskGroup(of: Void.self) { group in
      for letter in ["a", "b", "c"] {
        group.addTask {
          for _ in 0..<2 {
            await Task.yield()
            text.change { $0 += letter }
          }
        }
      }
    }
  }

  private func text(_ strategy: Exploration.Strategy, seed: UInt64) async -> String {
    let text = Shared("")
    let outcome = await explore(strategy, seed: seed, executions: 1) {
      await Self.write(into: text)
    }
    #expect(outcome.failure == nil)
    return text.current
  }

  @Test func `a seed gives the same interleaving each time, and another seed another one`() async {
    var texts: Set<String> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let first = await text(.randomWalk, seed: seed)
      #expect(first.sorted() == Array("aabbcc"))
      for _ in 0..<3 { #expect(await text(.randomWalk, seed: seed) == first) }
      texts.insert(first)
    }
    #expect(texts.count > 10)
  }

  @Test func `a depth-first search without a bound has every order of three tasks`() async {
    let texts = Shared<Set<String>>([])
    let outcome = await explore(.depthFirst(preemptionBound: 100), executions: 1_000_000) {
      let text = Shared("")
      await withTaskGroup(of: Void.self) { group in
        for letter in ["a", "b", "c"] { group.addTask { text.change { $0 += letter } } }
      }
      texts.change { $0.insert(text.current) }
    }
    #expect(outcome.isExhaustive)
    #expect(texts.current == ["abc", "acb", "bac", "bca", "cab", "cba"])
  }

  @Test func `a call between actors gives other tasks a turn`() async throws {
    actor Outer {
      private var isBusy = false
      private(set) var wasReentered = false

      func call(_ inner: Number) async {
        if isBusy { wasReentered = true }
        isBusy = true
        await inner.increment()
        isBusy = false
      }
    }
    try await expectFault(.depthFirst(preemptionBound: 2), "re-entered") {
      let outer = Outer()
      let inner = Number()
      async let first: Void = outer.call(inner)
      async let second: Void = outer.call(inner)
      _ = await (first, second)
      if await outer.wasReentered { throw Wrong("re-entered") }
    }
  }

  @Test func `a loop that yields until another task has run ends, depth first too`() async {
    let outcome = await explore(.depthFirst(preemptionBound: 2), executions: 100_000) {
      let isDone = Shared(false)
      async let other: Void = isDone.change { $0 = true }
      while !isDone.current { await Task.yield() }
      await other
    }
    #expect(outcome.failure == nil)
    #expect(outcome.isExhaustive)
  }

  @Test func `an exhausted search says what it has covered`() async {
    func description(preemptions: Int) async -> String {
      await explore(.depthFirst(preemptionBound: preemptions), executions: 10_000) {
        async let other: Void = Task.yield()
        await Task.yield()
        await other
      }.description
    }
    let covered = "exhaustive for switches at suspension points, with at most"
    #expect(await description(preemptions: 1).hasSuffix("\(covered) 1 preemption, no failure"))
    #expect(await description(preemptions: 2).hasSuffix("\(covered) 2 preemptions, no failure"))
    #expect(await !explore(.randomWalk) { await Task.yield() }.description.contains("exhaustive"))
  }

  @Test(arguments: taskStrategies)
  func `a loop that yields without end reaches the step limit`(
    _ strategy: Exploration.Strategy
  ) async {
    let outcome = await explore(strategy, stepLimit: 100) {
      while true { await Task.yield() }
    }
    #expect(outcome.failure?.failure == .stepsWithoutEnd)
  }

  @Test func `tasks run on after the end of the body`() async {
    let count = Shared(0)
    let outcome = await explore(.randomWalk, executions: 10) {
      Task {
        await Task.yield()
        count.change { $0 += 1 }
      }
    }
    #expect(outcome.failure == nil)
    #expect(count.current == 10)
  }

  // MARK: Time

  @Test(arguments: taskStrategies)
  func `sleep takes virtual time, in the order of the deadlines`(
    _ strategy: Exploration.Strategy
  ) async {
    let outcome = await explore(strategy, executions: 100) {
      let text = Shared("")
      await withTaskGroup(of: Void.self) { group in
        for (letter, hours) in [("c", 3), ("a", 1), ("b", 2)] {
          group.addTask {
            try? await Task.sleep(for: .seconds(3600 * hours))
            text.change { $0 += letter }
          }
        }
      }
      if text.current != "abc" { throw Wrong(text.current) }
    }
    #expect(outcome.failure == nil)
  }

  @Test func `a cancelled sleep ends early`() async {
    let outcome = await explore(.depthFirst(preemptionBound: 2), executions: 10_000) {
      let sleeper = Task { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
      sleeper.cancel()
      if case .success = await sleeper.result { throw Wrong("it slept on") }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.isExhaustive)
  }

  // MARK: Escapes

  /// Expects that a task escapes. The other thread may be late, so an execution waits for it until
  /// the time limit of the test.
  private func expectEscape(
    of task: String, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await Exploration.$standardEscapeGrace.withValue(.seconds(3600)) {
      try await expectFault(.randomWalk, "uncontrolled: another thread resumed \(task)", body)
    }
  }

  @Test func `an actor with an executor of its own is uncontrolled`() async throws {
    try await expectEscape(of: "task 1") { await QueueActor().call() }
  }

  @Test func `a callback from another thread is uncontrolled`() async throws {
    try await expectEscape(of: "task 1") {
      await withCheckedContinuation { continuation in
        resumeOnAnotherThread(continuation)
      }
    }
  }

  @Test func `a callback for an unstructured task is uncontrolled`() async throws {
    try await expectEscape(of: "task 2") {
      let task = Task {
        await withCheckedContinuation { continuation in
          resumeOnAnotherThread(continuation)
        }
      }
      await task.value
    }
  }

  @Test func `other tasks of the process run as ever`() async {
    let other = Task.detached {
      for _ in 0..<100 {
        await Task.yield()
        try? await Task.sleep(nanoseconds: 1000)
      }
      return true
    }
    let outcome = await explore(.randomWalk) {
      async let first: Void = Task.yield()
      async let second: Void = Task.yield()
      _ = await (first, second)
    }
    #expect(outcome.failure == nil)
    #expect(await other.value)
  }

  // MARK: Failures

  @Test func `a schedule of other code is refused`() async throws {
    let schedule = try Schedule(parsing: "1sc:1,7")
    let outcome = await explore(.replay(schedule)) { await Task.yield() }
    #expect(outcome.failure?.failure == .scheduleMismatch(decision: 1))
  }

  @Test func `a body whose number of tasks changes is not repeatable`() async {
    let count = Shared(1)
    let outcome = await explore(.depthFirst(preemptionBound: 2), executions: 10_000) {
      count.change { $0 += 1 }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count.current { group.addTask { await Task.yield() } }
      }
    }
    guard case .scheduleMismatch = outcome.failure?.failure else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func `a trace names the tasks and the functions in which they go on`() async throws {
    let outcome = await explore(.depthFirst(preemptionBound: 2)) {
      let mailbox = Mailbox()
      async let mail: Void = mailbox.waitForMailInTwoSteps()
      await mailbox.deliver()
      await mail
    }
    let failed = try #require(outcome.failure)
    #expect(failed.threads.prefix(3) == ["scenario", "task 1", "task 2"])
    let functions = failed.trace.map(\.site.function)
    #expect(functions.contains("InterleavingTests.Mailbox.waitForMailInTwoSteps()"))
    #expect(functions.contains { $0.contains("closure #1 in InterleavingTests.TaskControlTests") })
    #expect(functions.first == "start")
    #expect("\(failed)".contains("task 2: run InterleavingTests.Mailbox.waitForMailInTwoSteps()"))
  }
}
