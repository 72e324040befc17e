#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// Litmus tests: programs of a few accesses, whose outcomes distinguish memory models.
  struct LitmusTests {
    // @unchecked: `reads` is used by virtual threads, which share one system thread.
    private final class Memory: @unchecked Sendable {
      let x = Atomic(0)
      let y = Atomic(0)
      var reads = [-1, -1, -1, -1]
    }

    /// Returns whether a schedule ends with these reads, by an exhaustive search.
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

    /// A fenced pin writes with an `exchange` instead of a store.
    @Test(arguments: [AtomicUpdateOrdering.relaxed, .acquiringAndReleasing])
    func `store buffering is found with updates unless they are sequentially consistent`(
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

    @Test func `a barrier on all threads replaces the fence that a store lacks`() {
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

    /// The heavy barrier of a third thread acts on the two others at different times.
    @Test func `light barriers do not order each other's threads`() {
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

    @Test func `a store can be reordered after a relaxed store, but not after a releasing one`() {
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
    func `every strategy reorders the relaxed stores of one thread`(
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
    func `an atomic update is never lost, but a load and a store can lose one`(
      _ memory: MemoryModel
    ) {
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

    @Test func `a thread sees its own stores, and sees stores to one word in order`() {
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
    func `a thread sees its parent's earlier stores, and a parent those of a joined child`() {
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
