#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct StrategyTests {
    /// Threads that each take some steps on a word of all.
    private func search(threads: Int, steps: Int, bound: Int) -> Outcome {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: bound), seed: 1, executions: 10_000_000,
        memory: .sequentiallyConsistent)
      return plan.run { execution in
        let word = Atomic(0)
        withExtendedLifetime(word) {
          for _ in 0..<threads {
            execution.thread {
              for _ in 0..<steps { execution.pause() }
            }
          }
          execution.runThreads()
        }
      }
    }

    @Test func `depth-first search executes every interleaving once`() {
      // (2 + 2)! / (2! 2!), (3 + 3)! / (3! 3!), (2 + 2 + 2)! / (2! 2! 2!).
      #expect(search(threads: 2, steps: 2, bound: 10).executions == 6)
      #expect(search(threads: 2, steps: 3, bound: 10).executions == 20)
      #expect(search(threads: 3, steps: 2, bound: 10).executions == 90)
    }

    @Test func `depth-first search refuses a scenario that is another each time`() {
      var executions = 0
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 1), seed: 1, executions: 100)
      let outcome = plan.run { execution in
        executions += 1
        for _ in 0..<(executions == 1 ? 3 : 2) {
          execution.thread {
            execution.pause()
            execution.pause()
          }
        }
        execution.runThreads()
      }
      guard case .scheduleMismatch = outcome.failure?.failure else {
        Issue.record("\(String(describing: outcome.failure?.failure))")
        return
      }
    }

    @Test func `depth-first search keeps to its preemptions`() {
      // Without any, one thread runs after the other.
      #expect(search(threads: 2, steps: 2, bound: 0).executions == 2)
      #expect(search(threads: 3, steps: 2, bound: 0).executions == 6)
      // One more for each thread that is first, at its one place to be preempted.
      #expect(search(threads: 2, steps: 2, bound: 1).executions == 4)
    }
  }
#endif
