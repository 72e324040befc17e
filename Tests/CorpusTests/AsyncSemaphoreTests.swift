#if Interleaving
  import Interleaving
  import Testing

  /// The semaphore under the controlled executor of tasks, which needs none of the drop-in types.
  struct AsyncSemaphoreTests {
    private struct Wrong: Error, CustomStringConvertible {
      let description: String
    }

    private static let strategies: [Exploration.Strategy] = [
      .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
    ]

    /// Two tasks wait while two others cancel the first one and give a permit. If the first one got
    /// that, there is one more. Then the second task has a permit, and none is left.
    private static func body(
      _ defect: AsyncSemaphore.Defect?
    ) -> @Sendable () async throws -> Void {
      {
        let semaphore = AsyncSemaphore(permits: 0, defect: defect)
        func waiter() -> Task<Bool, Never> {
          Task { (try? await semaphore.wait()) != nil }
        }
        let (first, second) = (waiter(), waiter())
        let cancellation = Task { first.cancel() }
        let signal = Task { semaphore.signal() }
        await cancellation.value
        await signal.value
        if await first.value { semaphore.signal() }
        guard await second.value else { throw Wrong(description: "the second was not cancelled") }
        let third = waiter()
        third.cancel()
        if await third.value { throw Wrong(description: "there is a permit too many") }
      }
    }

    @Test(arguments: strategies)
    func `a cancelled waiter that stays in the queue takes the permit`(
      _ strategy: Exploration.Strategy
    ) async throws {
      let plan = Exploration(strategy: strategy, seed: 1, executions: 10_000)
      let outcome = await plan.runTasks(Self.body(.leak))
      let failed = try #require(outcome.failure)
      #expect("\(failed.failure)".contains("lost wake-up"))
      #expect(outcome.executions <= 20)
      let replay = Exploration(strategy: .replay(failed.schedule), seed: 0, executions: 1)
      #expect(await replay.runTasks(Self.body(.leak)).failure?.failure == failed.failure)
    }

    @Test(arguments: strategies)
    func `a permit passes a cancelled waiter, and none is lost or made`(
      _ strategy: Exploration.Strategy
    ) async {
      let plan = Exploration(strategy: strategy, seed: 1, executions: 20_000)
      let outcome = await plan.runTasks(Self.body(nil))
      #expect(outcome.failure == nil)
      if case .depthFirst = strategy { #expect(outcome.isExhaustive) }
    }
  }
#endif
