#if Interleaving
  import Interleaving
  import Testing

  /// A search of the schedules of one scenario.
  struct ScheduleSearch: CustomTestStringConvertible {
    var testDescription: String
    var plan: Exploration

    init(
      _ description: String, _ strategy: Exploration.Strategy, executions: Int,
      _ memory: MemoryModel = .storeBuffers, suspendsOneThread: Bool = false
    ) {
      testDescription = description
      plan = Exploration(
        strategy: strategy, seed: 20_260_721, executions: executions, memory: memory,
        suspendsOneThread: suspendsOneThread)
    }

    static let all = [
      ScheduleSearch("random", .randomWalk, executions: 1000),
      ScheduleSearch(
        "random, no store buffers", .randomWalk, executions: 1000, .sequentiallyConsistent),
      ScheduleSearch("PCT, depth 3", .probabilisticConcurrency(depth: 3), executions: 1000),
      ScheduleSearch(
        "depth first, two preemptions", .depthFirst(preemptionBound: 2), executions: 1500,
        .sequentiallyConsistent),
    ]

    /// Searches in which one thread is suspended indefinitely at some step.
    static let stopping = [
      ScheduleSearch("random, one stops", .randomWalk, executions: 1000, suspendsOneThread: true)
    ]

    /// Searches the schedules of `scenario`, and records a failure as an issue, with its trace.
    func expectNoFailure(
      _ scenario: @escaping (Execution) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let outcome = plan.run(scenario)
      guard let failed = outcome.failure else { return }
      let trace = failed.trace.map(\.description).joined(separator: "\n")
      Issue.record(
        "execution \(failed.execution): \(failed.failure)\n\(trace)\n\(failed.schedule)",
        sourceLocation: sourceLocation)
    }
  }
#endif
