#if Interleaving
  import Interleaving
  import Testing

  /// Every schedule with at most three preemptions of a small scenario, or the first that fails.
  func search(
    _ memory: MemoryModel = .storeBuffers, suspendsOneThread: Bool = false,
    weakened: [Weakening] = [], stepLimit: Int = 20_000, _ scenario: @escaping (Execution) -> Void
  ) -> Outcome {
    let plan = Exploration(
      strategy: .depthFirst(preemptionBound: 3), seed: 1, executions: 1_000_000, memory: memory,
      stepLimit: stepLimit, suspendsOneThread: suspendsOneThread, weakened: weakened)
    let outcome = plan.run(scenario)
    #expect(outcome.isExhaustive || outcome.failure != nil)
    return outcome
  }
#endif
