#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// Programs in which a load returns the value of a store that executes later.
  struct PromisedStoreTests {
    // @unchecked: `reads` belongs to virtual threads, which take turns on one thread of the system.
    private final class Memory: @unchecked Sendable {
      let x = Atomic(0)
      let y = Atomic(0)
      let z = Atomic(0)
      let plain = Mutex(0)
      var reads = [-1, -1, -1]

      func readX(_ place: Int = 0) { reads[place] = x.load(ordering: .relaxed) }
      func readY(_ place: Int = 1) { reads[place] = y.load(ordering: .relaxed) }
      func readZ(_ place: Int = 2) { reads[place] = z.load(ordering: .relaxed) }
      func storeX() { x.store(1, ordering: .relaxed) }
      func storeY() { y.store(1, ordering: .relaxed) }
      func storeZ() { z.store(1, ordering: .relaxed) }
    }

    private typealias Program = [@Sendable (Memory) -> Void]

    private func explore(
      _ strategy: Exploration.Strategy, until reads: [Int], _ program: Program,
      executions: Int = 5_000_000
    ) -> Outcome {
      let plan = Exploration(
        strategy: strategy, seed: 1, executions: executions, memory: .reorderedLoads)
      return plan.run { execution in
        let memory = Memory()
        for body in program { execution.thread { body(memory) } }
        execution.runThreads()
        execution.require(Array(memory.reads.prefix(reads.count)) != reads, "found")
      }
    }

    private func finds(_ reads: [Int], _ program: Program) -> Bool {
      let outcome = explore(.depthFirst(preemptionBound: 20), until: reads, program)
      #expect(outcome.isExhaustive || outcome.failure?.failure == .assertion("found"))
      return outcome.failure != nil
    }

    private static let loadBuffering: Program = [
      {
        $0.readX()
        $0.storeY()
      },
      {
        $0.readY()
        $0.storeX()
      },
    ]

    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
      .depthFirst(preemptionBound: 2),
    ])
    func `each strategy finds load buffering, and its text repeats it`(
      _ strategy: Exploration.Strategy
    ) throws {
      let outcome = explore(strategy, until: [1, 1], Self.loadBuffering, executions: 10_000)
      let failed = try #require(outcome.failure)
      let schedule = try Schedule(parsing: failed.schedule.description)
      #expect(schedule == failed.schedule)
      #expect(schedule.promises.count == 1)
      let promised = failed.trace.filter(\.isPromised)
      #expect(promised.map(\.value) == [1])
      #expect(promised[0].description.contains("1 (stored later) relaxed"))
      let again = try #require(
        explore(.replay(schedule), until: [1, 1], Self.loadBuffering).failure)
      #expect(again.failure == failed.failure)
      #expect(again.trace == failed.trace)
      #expect(again.schedule == failed.schedule)
    }

    @Test func `three loads read one another's later stores`() {
      let program: Program = [
        {
          $0.readX()
          $0.storeY()
        },
        {
          $0.readY()
          $0.storeZ()
        },
        {
          $0.readZ()
          $0.storeX()
        },
      ]
      #expect(finds([1, 1, 1], program))
    }

    @Test func `a load that has ended does not read a later store`() {
      let program: Program = [
        {
          $0.readX()
          Execution.current?.endLoads()
          $0.storeY()
        },
        {
          $0.readY()
          Execution.current?.endLoads()
          $0.storeX()
        },
      ]
      #expect(!finds([1, 1], program))
    }

    @Test func `one of two stores may depend on a load`() {
      let program: Program = [
        {
          $0.readX()
          $0.storeY()
        },
        {
          $0.readY()
          if $0.reads[1] == 1 { $0.storeX() }
        },
      ]
      #expect(finds([1, 1], program))
    }

    @Test func `a value that depends on itself does not occur`() {
      let program: Program = [
        {
          $0.readX()
          if $0.reads[0] == 1 { $0.storeY() }
        },
        {
          $0.readY()
          if $0.reads[1] == 1 { $0.storeX() }
        },
      ]
      #expect(!finds([1, 1], program))
    }

    /// The store of `x` has another reason in other executions: a third thread's store of `z`.
    @Test func `a value that depends on itself does not occur with another origin elsewhere`() {
      let program: Program = [
        {
          $0.readX()
          if $0.reads[0] == 1 { $0.storeY() }
        },
        {
          $0.readY()
          $0.readZ()
          if $0.reads[1] == 1 || $0.reads[2] == 1 { $0.storeX() }
        },
        { $0.storeZ() },
      ]
      #expect(!finds([1, 1, 0], program))
      #expect(finds([1, 1, 1], program))
    }

    /// In other executions, the store of `x` follows from a value of `y` that this one never has.
    @Test func `a value that depends on itself does not occur for another value elsewhere`() {
      let program: Program = [
        {
          $0.readX()
          if $0.reads[0] == 1 { $0.storeY() }
        },
        {
          $0.readY()
          if $0.reads[1] != 0 { $0.storeX() }
        },
        {
          $0.readZ()
          if $0.reads[2] == 1 { $0.y.store(2, ordering: .relaxed) }
        },
        { $0.storeZ() },
      ]
      #expect(!finds([1, 1, 0], program))
      #expect(finds([1, 2, 1], program))
    }

    /// In other executions, the store of `x` follows from another origin of the value of `y`.
    @Test func `an update that reads a value that depends on itself is no promise`() {
      let program: Program = [
        {
          $0.readX()
          $0.y.store($0.reads[0], ordering: .relaxed)
        },
        {
          $0.readY()
          if $0.reads[1] == 2 { $0.storeX() }
        },
        { $0.x.wrappingAdd(1, ordering: .relaxed) },
        {
          $0.readZ()
          if $0.reads[2] == 1 { $0.storeX() }
        },
        { $0.storeZ() },
      ]
      #expect(explore(.randomWalk, until: [2, 2, 0], program, executions: 200_000).failure == nil)
    }

    @Test func `a value that depends on itself does not occur through a lock`() {
      let program: Program = [
        {
          $0.readX()
          if $0.reads[0] == 1 { $0.storeY() }
        },
        { memory in
          memory.readY()
          memory.readZ()
          memory.plain.withLock { $0 = memory.reads[1] == 1 || memory.reads[2] == 1 ? 1 : 0 }
        },
        { memory in
          if memory.plain.withLock({ $0 }) == 1 { memory.storeX() }
        },
        { $0.storeZ() },
      ]
      #expect(explore(.randomWalk, until: [1, 1, 0], program, executions: 200_000).failure == nil)
    }

    /// The first thread reads 1 before the second thread has stored it, but then keeps it from
    /// storing it.
    @Test func `a trap or a failure with a broken promise does not count`() throws {
      let program: Program = [
        {
          $0.readX()
          if $0.reads[0] == 1 { $0.y.store(7, ordering: .relaxed) }
        },
        {
          $0.readY()
          if $0.reads[1] != 7 { $0.storeX() }
        },
      ]
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 20), seed: 1, executions: 1_000_000,
        memory: .reorderedLoads)
      func isImpossible(_ memory: Memory) -> Bool { memory.reads[0] == 1 && memory.reads[1] == 7 }
      let inProcess = plan.run { execution in
        let memory = Memory()
        for body in program { execution.thread { body(memory) } }
        execution.runThreads()
        execution.require(!isImpossible(memory))
      }
      #expect(inProcess.failure == nil)
      #expect(inProcess.isExhaustive)
      #expect(inProcess.brokenExecutions > 0)
      let inChildren = try plan.runInChildren { execution in
        let memory = Memory()
        for body in program { execution.thread { body(memory) } }
        execution.runThreads()
        precondition(!isImpossible(memory))
      }
      #expect(inChildren.failure == nil)
      #expect(inChildren.isExhaustive)
      #expect(inChildren.executions == inProcess.executions)
      #expect(inChildren.brokenExecutions == inProcess.brokenExecutions)
    }
  }
#endif
