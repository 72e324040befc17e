#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct ReductionTests {
    @Test(arguments: ReductionProgram.all)
    func `the search executes each trace of a known program once`(_ program: ReductionProgram) {
      let outcome = program.explore(.dynamicPartialOrderReduction)
      #expect(outcome.failure == nil)
      #expect(outcome.isExhaustive)
      #expect(outcome.executions - outcome.blockedExecutions == UInt64(program.traces))
    }

    @Test func `a budget that ends before the search leaves it unexhausted`() {
      let program = ReductionProgram.readers(3)
      let outcome = program.explore(.dynamicPartialOrderReduction, limit: 7)
      #expect(!outcome.isExhaustive)
      #expect(outcome.executions == 7)
      #expect(program.explore(.depthFirst(preemptionBound: 3)).blockedExecutions == 0)
    }

    @Test func `a child process executes the whole search`() throws {
      let plan = Exploration(
        strategy: .dynamicPartialOrderReduction, seed: 1, executions: 10_000,
        memory: .sequentiallyConsistent)
      let outcome = try plan.runInChildren(batch: 3, ReductionProgram.readers(3).scenario)
      #expect(outcome.isExhaustive)
      #expect(outcome.executions - outcome.blockedExecutions == 8)
    }

    private static func plan(_ memory: MemoryModel = .sequentiallyConsistent) -> Exploration {
      Exploration(
        strategy: .dynamicPartialOrderReduction, seed: 1, executions: 100_000, memory: memory)
    }

    @Test func `locks taken in two orders are a deadlock, which replays`() throws {
      let scenario: (Execution) -> Void = { execution in
        let words = SharedWords(2)
        execution.thread("one") { words.locked(0) { words.locked(1) {} } }
        execution.thread("two") { words.locked(1) { words.locked(0) {} } }
        execution.runThreads()
      }
      let failed = try #require(Self.plan().run(scenario).failure)
      #expect(failed.failure == .deadlock("one waits for a lock, two waits for a lock"))
      let schedule = try Schedule(parsing: failed.schedule.description)
      let replay = Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
      let again = try #require(replay.run(scenario).failure)
      #expect(again.failure == failed.failure)
      #expect(again.schedule == failed.schedule)
    }

    /// Each thread's stamp is part of its only step, so that nothing but the stamps orders them.
    @Test func `the order of time stamps is seen`() {
      var orders: Set<[UInt64]> = []
      let outcome = Self.plan().run { execution in
        let words = SharedWords(3)
        var stamps: [UInt64] = [0, 0, 0]
        for thread in 0..<3 {
          execution.thread {
            words[thread] = 1
            stamps[thread] = execution.now
          }
        }
        execution.runThreads()
        orders.insert(stamps)
      }
      #expect(outcome.isExhaustive)
      #expect(orders.count == 6)
    }

    @Test func `stamps of threads before their first step are ordered, and replay`() throws {
      let scenario: (Execution) -> Void = { execution in
        let words = SharedWords(1)
        var stamps: [UInt64] = [0, 0]
        for thread in 0..<2 {
          execution.thread {
            stamps[thread] = execution.now
            words[0] = thread
          }
        }
        execution.runThreads()
        execution.require(stamps[0] < stamps[1] || words[0] != 0)
      }
      let failed = try #require(Self.plan().run(scenario).failure)
      let replay = Exploration(strategy: .replay(failed.schedule), seed: 0, executions: 1)
      #expect(replay.run(scenario).failure?.trace == failed.trace)
    }

    /// A pause may stand for any operation on plain variables.
    @Test func `a pause depends on every step`() {
      var orders: Set<[Int]> = []
      let outcome = Self.plan().run { execution in
        var order: [Int] = []
        let words = SharedWords(1)
        for thread in 1...2 {
          execution.thread {
            execution.pause()
            order.append(thread)
            _ = words[0]
          }
        }
        execution.runThreads()
        orders.insert(order)
      }
      #expect(outcome.isExhaustive)
      #expect(orders == [[1, 2], [2, 1]])
    }

    @Test func `threads that threads create, and joins, are covered`() {
      var sums: Set<Int> = []
      let outcome = Self.plan(.storeBuffers).run { execution in
        let words = SharedWords(2)
        execution.thread {
          words.store(1, in: 0, .relaxed)
          let child = execution.thread { words.store(words[0] + 10, in: 0, .relaxed) }
          words.store(words[0] + 100, in: 0, .relaxed)
          execution.join(child)
          words[1] = words[0]
        }
        execution.runThreads()
        sums.insert(words[1])
      }
      #expect(outcome.isExhaustive)
      #expect(sums == [11, 101, 111])
    }

    @Test func `two phases of threads are searched as one`() {
      let outcome = Self.plan().run { execution in
        let words = SharedWords(1)
        for _ in 0..<2 {
          for value in 1...2 { execution.thread { words[0] = value } }
          execution.runThreads()
        }
      }
      #expect(outcome.isExhaustive)
      #expect(outcome.executions - outcome.blockedExecutions == 4)
    }

    @Test func `a scenario that is another each time is refused`() {
      var executions = 0
      let outcome = Self.plan().run { execution in
        executions += 1
        let words = SharedWords(3)
        let loads = executions % 2 == 0
        for thread in 0..<2 {
          execution.thread {
            if loads { _ = words[thread] } else { words[thread] = 1 }
            words[2] = thread
          }
        }
        execution.runThreads()
      }
      guard case .scheduleMismatch = outcome.failure?.failure else {
        Issue.record("\(String(describing: outcome.failure?.failure))")
        return
      }
    }
  }
#endif
