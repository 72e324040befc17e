#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// Programs of a few accesses, whose outcomes tell memory models apart.
  struct LitmusTests {
    // @unchecked: `reads` belongs to virtual threads, which take turns on one thread of the system.
    private final class Memory: @unchecked Sendable {
      let x = Atomic(0)
      let y = Atomic(0)
      var reads = [-1, -1, -1, -1]
    }

    /// Whether some schedule ends with these reads; the search is exhaustive.
    private func finds(
      _ reads: [Int], _ memory: MemoryModel = .storeBuffers, _ threads: ((Memory) -> Void)...
    ) -> Bool {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 10), seed: 1, executions: 10_000_000, memory: memory)
      let outcome = plan.run { execution in
        let memory = Memory()
        for thread in threads { execution.thread { thread(memory) } }
        execution.runThreads()
        execution.require(Array(memory.reads.prefix(reads.count)) != reads, "found")
      }
      #expect(outcome.isExhaustive || outcome.failure?.failure == .assertion("found"))
      return outcome.failure != nil
    }

    @Test(arguments: [AtomicStoreOrdering.relaxed, .releasing])
    func `store buffering is found unless stores are sequentially consistent`(
      _ ordering: AtomicStoreOrdering
    ) {
      func program(_ memory: MemoryModel, _ ordering: AtomicStoreOrdering) -> Bool {
        finds(
          [0, 0], memory,
          {
            $0.x.store(1, ordering: ordering)
            $0.reads[0] = $0.y.load(ordering: .sequentiallyConsistent)
          },
          {
            $0.y.store(1, ordering: ordering)
            $0.reads[1] = $0.x.load(ordering: .sequentiallyConsistent)
          })
      }
      #expect(program(.storeBuffers, ordering))
      #expect(!program(.storeBuffers, .sequentiallyConsistent))
      #expect(!program(.sequentiallyConsistent, ordering))
    }

    @Test(arguments: [AtomicUpdateOrdering.relaxed, .acquiringAndReleasing])
    func `a pin by an exchange is found unless it is sequentially consistent`(
      _ ordering: AtomicUpdateOrdering
    ) {
      func dekker(_ ordering: AtomicUpdateOrdering) -> Bool {
        finds(
          [0, 0], .storeBuffers,
          {
            _ = $0.x.exchange(1, ordering: ordering)
            $0.reads[0] = $0.y.load(ordering: .sequentiallyConsistent)
          },
          {
            _ = $0.y.exchange(1, ordering: ordering)
            $0.reads[1] = $0.x.load(ordering: .sequentiallyConsistent)
          })
      }
      #expect(dekker(ordering))
      #expect(!dekker(.sequentiallyConsistent))
    }

    @Test func `a barrier on all threads makes up for the one that a store lacks`() {
      func program(isComplete: Bool) -> Bool {
        finds(
          [0, 0], .storeBuffers,
          {
            $0.x.store(1, ordering: .releasing)
            AsymmetricBarrier.light()
            $0.reads[0] = $0.y.load(ordering: .sequentiallyConsistent)
          },
          {
            $0.y.store(1, ordering: .relaxed)
            if isComplete { _ = AsymmetricBarrier.heavy() }
            $0.reads[1] = $0.x.load(ordering: .sequentiallyConsistent)
          })
      }
      #expect(program(isComplete: false))
      #expect(!program(isComplete: true))
    }

    /// What the barrier of a third thread does for two others, it does to each at a moment of its
    /// own.
    @Test func `light barriers alone order nothing`() {
      let storing: (Memory) -> Void = {
        $0.x.store(1, ordering: .relaxed)
        AsymmetricBarrier.light()
        $0.reads[0] = $0.y.load(ordering: .relaxed)
      }
      let answering: (Memory) -> Void = {
        $0.y.store(1, ordering: .relaxed)
        AsymmetricBarrier.light()
        $0.reads[1] = $0.x.load(ordering: .relaxed)
      }
      #expect(
        finds([0, 0], .storeBuffers, storing, answering, { _ in _ = AsymmetricBarrier.heavy() }))
    }

    @Test func `a message passes a relaxed flag but no releasing one`() {
      func program(_ ordering: AtomicStoreOrdering) -> Bool {
        finds(
          [1, 0], .storeBuffers,
          {
            $0.x.store(1, ordering: .relaxed)
            $0.y.store(1, ordering: ordering)
          },
          {
            $0.reads[0] = $0.y.load(ordering: .acquiring)
            $0.reads[1] = $0.x.load(ordering: .relaxed)
          })
      }
      #expect(program(.relaxed))
      #expect(!program(.releasing))
    }

    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
      .dynamicPartialOrderReduction,
    ])
    func `every strategy lets the relaxed stores of one thread pass each other`(
      _ strategy: Exploration.Strategy
    ) {
      let plan = Exploration(strategy: strategy, seed: 1, executions: 1000)
      let outcome = plan.run { execution in
        let memory = Memory()
        execution.thread {
          memory.x.store(1, ordering: .relaxed)
          memory.y.store(1, ordering: .relaxed)
        }
        execution.thread {
          memory.reads[0] = memory.y.load(ordering: .acquiring)
          memory.reads[1] = memory.x.load(ordering: .relaxed)
        }
        execution.runThreads()
        execution.require(memory.reads.prefix(2) != [1, 0], "found")
      }
      #expect(outcome.failure?.failure == .assertion("found"))
    }

    @Test(arguments: MemoryModel.allCases)
    func `an update is never lost, a load and a store may be`(_ memory: MemoryModel) {
      let adding: (Memory) -> Void = { $0.x.wrappingAdd(1, ordering: .relaxed) }
      let storing: (Memory) -> Void = {
        $0.x.store($0.x.load(ordering: .relaxed) + 1, ordering: .relaxed)
      }
      func total(_ step: @escaping (Memory) -> Void) -> Outcome {
        let plan = Exploration(
          strategy: .depthFirst(preemptionBound: 10), seed: 1, executions: 1_000_000,
          memory: memory)
        return plan.run { execution in
          let memory = Memory()
          for _ in 0..<3 { execution.thread { step(memory) } }
          execution.runThreads()
          execution.require(memory.x.load(ordering: .relaxed) == 3)
        }
      }
      #expect(total(adding).isExhaustive)
      #expect(total(adding).failure == nil)
      #expect(total(storing).failure != nil)
    }

    @Test func `a thread sees its own stores, and stores to one word in order`() {
      #expect(
        !finds(
          [0], .storeBuffers,
          {
            $0.x.store(1, ordering: .relaxed); $0.reads[0] = $0.x.load(ordering: .relaxed)
          }))
      #expect(
        !finds(
          [2, 1], .storeBuffers,
          {
            $0.x.store(1, ordering: .relaxed)
            $0.x.store(2, ordering: .relaxed)
          },
          {
            $0.reads[0] = $0.x.load(ordering: .relaxed)
            $0.reads[1] = $0.x.load(ordering: .relaxed)
          }))
    }

    @Test
    func `a thread sees what its parent stored before, and a parent what a child it joined did`() {
      let outcome = search { execution in
        let memory = Memory()
        execution.thread("parent") {
          memory.x.store(1, ordering: .relaxed)
          let child = execution.thread("child") {
            memory.reads[0] = memory.x.load(ordering: .relaxed)
            memory.y.store(1, ordering: .relaxed)
          }
          execution.join(child)
          memory.reads[1] = memory.y.load(ordering: .relaxed)
        }
        execution.runThreads()
        execution.require(memory.reads[0] == 1, "the child misses a store")
        execution.require(memory.reads[1] == 1, "the parent misses a store")
      }
      #expect(outcome.failure == nil, "\(String(describing: outcome.failure?.failure))")
    }
  }
#endif
