#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct ReplayTests {
    private final class Counter: Sendable {
      let value = Atomic(0)

      func addSlowly() {
        value.store(value.load(ordering: .relaxed) + 1, ordering: .releasing)
      }
    }

    private static func adds(_ execution: Execution) {
      let counter = Counter()
      for name in ["first", "second", "third"] {
        execution.thread(name) { for _ in 0..<2 { counter.addSlowly() } }
      }
      execution.runThreads()
      let sum = counter.value.load(ordering: .relaxed)
      execution.require(sum == 6, "the sum is \(sum)")
    }

    private static let strategies: [Exploration.Strategy] = [
      .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
      .dynamicPartialOrderReduction,
    ]

    private static let searches = strategies.flatMap { strategy in
      MemoryModel.allCases.filter(strategy.covers).map { (strategy, $0) }
    }

    @Test(arguments: searches)
    func `a schedule's text gives the same failure a hundred times`(
      _ strategy: Exploration.Strategy, _ memory: MemoryModel
    ) throws {
      let plan = Exploration(strategy: strategy, seed: 5, executions: 10_000, memory: memory)
      let failed = try #require(plan.run(Self.adds).failure)
      let schedule = try Schedule(parsing: failed.schedule.description)
      for _ in 0..<100 {
        let replay = Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
        let again = try #require(replay.run(Self.adds).failure)
        #expect(again.failure == failed.failure)
        #expect(again.schedule == failed.schedule)
        #expect(again.trace == failed.trace)
      }
    }

    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
    ])
    func `an execution is the same alone as among others`(_ strategy: Exploration.Strategy) throws {
      var plan = Exploration(strategy: strategy, seed: 3, executions: 10_000)
      let failed = try #require(plan.run(Self.adds).failure)
      plan.firstExecution = Int(failed.execution)
      plan.executions = 1
      #expect(plan.run(Self.adds).failure?.schedule == failed.schedule)
    }

    @Test func `another seed gives other schedules`() throws {
      let schedules = try (0..<5 as Range<UInt64>).map { seed in
        let plan = Exploration(strategy: .randomWalk, seed: seed, executions: 10_000)
        return try #require(plan.run(Self.adds).failure).schedule
      }
      #expect(Set(schedules).count == 5)
    }

    @Test func `a schedule of another scenario is refused`() {
      let schedule = Schedule(memory: .storeBuffers, decisions: [.run(thread: 1), .run(thread: 9)])
      let replay = Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
      #expect(replay.run(Self.adds).failure?.failure == .scheduleMismatch(decision: 1))
    }

    @Test func `a schedule that ends early goes on with the running thread`() {
      let schedule = Schedule(memory: .storeBuffers, decisions: [.run(thread: 2)])
      let replay = Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
      #expect(replay.run(Self.adds).failure == nil)
    }
  }
#endif
