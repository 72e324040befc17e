#if Interleaving
  import Interleaving
  import Testing

  struct ProbabilisticConcurrencyTests {
    // @unchecked: virtual threads take turns.
    private final class Log: @unchecked Sendable {
      var threads: [Int] = []
      var executions = 0
    }

    private static let steps = 8

    /// Fails if each of the second thread's steps falls into one certain gap between the first
    /// one's.
    ///
    /// The first thread must run first and be preempted in each gap, the second one after each step
    /// but its last: a defect of depth 2 × `gaps`.
    private static func scenario(gaps: Int) -> (Execution) -> Void {
      { execution in
        let log = Log()
        func take(_ steps: Int) {
          for _ in 0..<steps {
            execution.pause()
            log.threads.append(execution.currentThread)
          }
        }
        execution.thread { take(Self.steps) }
        execution.thread { take(gaps) }
        execution.runThreads()
        let places = log.threads.indices.filter { log.threads[$0] == 2 }
        execution.require(places != (1...gaps).map { 3 * $0 }, "each is in its gap")
      }
    }

    @Test(arguments: [1, 2])
    func `a defect of depth d is found as often as promised`(_ gaps: Int) {
      var plan = Exploration(
        strategy: .probabilisticConcurrency(depth: 2 * gaps), seed: 1, executions: 1,
        memory: .sequentiallyConsistent)
      let executions = gaps == 1 ? 4000 : 40_000
      let hits = (1...executions).count { number in
        plan.firstExecution = number
        return plan.run(Self.scenario(gaps: gaps)).failure?.execution == UInt64(number)
      }
      // At least 1 / (n k^(d - 1)) of the executions; the gaps are so narrow that it is hardly
      // more.
      let decisions = Double(Self.steps + gaps + 2)
      var promised = Double(executions) / 2
      for _ in 1..<2 * gaps { promised /= decisions }
      #expect(Double(hits) >= 0.7 * promised)
    }

    @Test func `with depth one no thread is preempted`() {
      let plan = Exploration(
        strategy: .probabilisticConcurrency(depth: 1), seed: 1, executions: 500,
        memory: .sequentiallyConsistent)
      let all = Log()
      let outcome = plan.run { execution in
        let log = Log()
        for thread in 1...3 {
          execution.thread {
            for _ in 0..<4 {
              execution.pause()
              log.threads.append(thread)
            }
          }
        }
        execution.runThreads()
        let switches = zip(log.threads, log.threads.dropFirst()).count { $0 != $1 }
        // The first is a random walk, which measures.
        all.executions += 1
        execution.require(switches == 2 || all.executions == 1, "\(log.threads)")
      }
      #expect(outcome.failure == nil)
      #expect(all.executions == 500)
    }
  }
#endif
