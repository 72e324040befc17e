import Threading

extension Exploration {
  /// Whether this program can explore asynchronous code. That needs Swift's concurrency runtime in
  /// a dynamic library with its usual hooks, but no trait.
  public static var canRunTasks: Bool { TaskScheduler.canControl }

  /// Runs asynchronous code again and again, each time with another interleaving of its tasks,
  /// until an execution fails.
  ///
  /// ```swift
  /// let outcome = await plan.runTasks {
  ///   let account = Account(balance: 100)
  ///   async let first = account.withdraw(80)
  ///   async let second = account.withdraw(80)
  ///   _ = await (first, second)
  ///   if await account.balance < 0 { throw Overdrawn() }
  /// }
  /// ```
  ///
  /// All tasks run on one thread, one at a time. At each suspension, the plan's strategy chooses
  /// the task that runs next. The body needs no special types: child tasks, unstructured and
  /// detached tasks, actors with the default executor, the main actor, `AsyncStream` and
  /// continuations are controlled. `Task.sleep` takes virtual time, which passes only while every
  /// task waits; delays count in whole milliseconds.
  ///
  /// An execution ends when the body has ended and no task can run. It fails if the body throws, if
  /// the body has not ended and no task can run (`Failure.lostWakeUp(_:)`), after the step limit,
  /// or if a task escapes the control (`Failure.uncontrolled(_:)`): an actor with an executor of
  /// its own, or a callback from another thread, resumed it. For that, an execution in which no
  /// task can run waits 0.2 seconds.
  ///
  /// The body must be deterministic apart from the order of its tasks, must not block its thread,
  /// and must not share state with other code. It does not have the caller's task-local values, and
  /// so no current test: throw an error instead of recording an issue. A failed execution never
  /// resumes its tasks, and so leaks them. A trap, such as that of a continuation that resumes
  /// twice, is a failure (`Failure.trap(signal:message:)`), after which the thread of the execution
  /// waits forever. A fault of memory still ends the process.
  ///
  /// - Parameters:
  ///   - timeLimit: The time after which no execution but the first begins; `nil` for no limit.
  ///   - body: The code, which each execution calls anew.
  /// - Returns: The counts and the first failure, if there was one. Its threads are the tasks, in
  ///   the order of their creation; the body is task 1. The memory model of its schedule has no
  ///   meaning.
  /// - Precondition: The strategy is not `dynamicPartialOrderReduction`, `suspendsOneThread` is
  ///   false, and `canRunTasks` is true.
  public func runTasks(
    timeLimit: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) async -> Outcome {
    await onOwnThread { runTasksOnThisThread(timeLimit: timeLimit, body) }
  }

  /// Explores as `runTasks(timeLimit:_:)` does, and blocks the calling thread.
  package func runTasksOnThisThread(
    timeLimit: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) -> Outcome {
    checkExecutions()
    guard strategy != .dynamicPartialOrderReduction else {
      fatalError("dynamicPartialOrderReduction cannot explore tasks; use depthFirst")
    }
    guard !suspendsOneThread else {
      fatalError("an exploration of tasks cannot suspend one; use threads")
    }
    guard Self.canRunTasks else {
      fatalError("this program cannot control its tasks; check Exploration.canRunTasks")
    }
    let end = timeLimit.map { ContinuousClock.now + $0 }
    return TaskScheduler(self, body).explore(until: end)
  }

  /// Gives the running task of an exploration a name; does nothing elsewhere.
  package static func nameTask(_ name: String) {
    TaskScheduler.current?.nameLane(name)
  }

  /// Adds a line to the trace: a mark whose site has `text` as its function and no file. Does
  /// nothing if the calling thread runs no exploration of tasks.
  ///
  /// - Parameter text: A string that is never freed.
  package static func noteInTask(_ text: UnsafePointer<CChar>) {
    TaskScheduler.current?.note(text)
  }
}
