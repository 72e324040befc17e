#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct ProgressTests {
    private final class Words: Sendable {
      let lock = Atomic(false)
      let head = Atomic(0)

      func pushLocked() {
        while lock.exchange(true, ordering: .acquiring) { spinHint() }
        head.store(head.load(ordering: .relaxed) + 1, ordering: .relaxed)
        lock.store(false, ordering: .releasing)
      }

      func pushLockFree() {
        var old = head.load(ordering: .relaxed)
        while true {
          let (exchanged, original) = head.compareExchange(
            expected: old, desired: old + 1, ordering: .acquiringAndReleasing)
          if exchanged { return }
          old = original
        }
      }
    }

    private static func pushes(_ push: @escaping (Words) -> Void) -> (Execution) -> Void {
      { execution in
        let words = Words()
        for _ in 0..<2 { execution.thread { push(words) } }
        execution.runThreads()
        execution.require(words.head.load(ordering: .relaxed) == 2, "a push is lost")
      }
    }

    private static func plan(_ strategy: Exploration.Strategy) -> Exploration {
      Exploration(
        strategy: strategy, seed: 1, executions: 20_000, memory: .sequentiallyConsistent,
        stepLimit: 1000, suspendsOneThread: true)
    }

    private static let strategies: [Exploration.Strategy] = [
      .randomWalk, .probabilisticConcurrency(depth: 2), .depthFirst(preemptionBound: 2),
    ]

    @Test(arguments: strategies)
    func `a spinlock's holder that stops stops all`(_ strategy: Exploration.Strategy) {
      let outcome = Self.plan(strategy).run(Self.pushes { $0.pushLocked() })
      guard case .lostProgress = outcome.failure?.failure else {
        Issue.record("\(String(describing: outcome.failure?.failure))")
        return
      }
    }

    @Test(arguments: strategies)
    func `a thread that stops in a lock-free push stops nobody`(_ strategy: Exploration.Strategy) {
      let outcome = Self.plan(strategy).run(Self.pushes { $0.pushLockFree() })
      #expect(outcome.failure == nil)
      #expect(outcome.executions >= 10)
    }

    @Test func `without a suspension the spinlock ends`() {
      var plan = Self.plan(.randomWalk)
      plan.suspendsOneThread = false
      #expect(plan.run(Self.pushes { $0.pushLocked() }).failure == nil)
    }

    @Test func `a suspension is part of the schedule`() throws {
      let scenario = Self.pushes { $0.pushLocked() }
      let failed = try #require(Self.plan(.randomWalk).run(scenario).failure)
      let replay = Exploration(
        strategy: .replay(failed.schedule), seed: 9, executions: 1, stepLimit: 1000)
      #expect(replay.run(scenario).failure?.failure == failed.failure)
    }
  }
#endif
