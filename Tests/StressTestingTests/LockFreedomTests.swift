#if Interleaving
  import EpochReclamation
  import Interleaving
  @testable import StressTesting
  import Testing
  import WeakCollections

  /// One thread stops after each of its steps in turn and does not go on before all others have
  /// ended. Whether the others end distinguishes lock-free collections from those with locks.
  @Suite struct LockFreedomTests {
    @Test func `an append that stops anywhere stops no other thread`() {
      expectProgress { domain in
        let array = LockFreeWeakArray<Number>(domain: domain)
        return { array.append($0) }
      }
    }

    @Test func `a set that stops anywhere stops no other thread`() {
      expectProgress { domain in
        let dictionary = LockFreeDictionary<StressKey, Number>(domain: domain, leastCapacity: 2)
        return { dictionary.setValue($0, forKey: StressKey(0)) }
      }
    }

    @Test func `an append that stops under a lock stops the other threads`() {
      expectNoProgress { array($0, BarrierQueueWeakArray<Number>()) }
      expectNoProgress { array($0, MutexWeakArray<Number>()) }
      expectNoProgress { array($0, ReadWriteLockWeakArray<Number>()) }
      expectNoProgress { array($0, AdaptiveLockWeakArray<Number>()) }
    }

    @Test func `a set that stops under a lock stops the other threads`() {
      expectNoProgress { dictionary($0, BarrierQueueDictionary<StressKey, Number>()) }
      expectNoProgress { dictionary($0, MutexDictionary<StressKey, Number>()) }
      expectNoProgress { dictionary($0, ReadWriteLockDictionary<StressKey, Number>()) }
      expectNoProgress { dictionary($0, AdaptiveLockDictionary<StressKey, Number>()) }
      expectNoProgress { dictionary($0, StripedLockDictionary<StressKey, Number>()) }
      expectNoProgress {
        dictionary($0, BucketLockDictionary<StressKey, Number>(domain: $0, leastSize: 1))
      }
    }

    private typealias Operation = (Number) -> Void

    private func array(_: EpochDomain, _ array: some SynchronousWeakArray<Number>) -> Operation {
      { array.append($0) }
    }

    private func dictionary(
      _: EpochDomain, _ dictionary: some SynchronousDictionary<StressKey, Number>
    ) -> Operation {
      { dictionary.setValue($0, forKey: StressKey(0)) }
    }

    private func expectProgress(_ make: @escaping (EpochDomain) -> Operation) {
      let outcome = explore(make)
      #expect(outcome.failure == nil)
      #expect(outcome.isExhaustive, "\(outcome.executions) executions were not all")
    }

    private func expectNoProgress(_ make: @escaping (EpochDomain) -> Operation) {
      let outcome = explore(make)
      guard case .lostProgress = outcome.failure?.failure else {
        Issue.record("\(String(describing: outcome.failure?.failure))")
        return
      }
    }

    /// Tries every schedule in which no thread is preempted and one may be suspended.
    private func explore(_ make: @escaping (EpochDomain) -> Operation) -> Outcome {
      Exploration.stoppingOneThread().run { execution in
        let operation = make(EpochDomain(bagCapacity: 1, reportStall: { _ in }))
        let numbers = (0..<4).map { _ in Number() }
        for thread in 0..<2 {
          execution.thread {
            for number in numbers[2 * thread..<2 * thread + 2] { operation(number) }
          }
        }
        execution.runThreads()
        withExtendedLifetime(numbers) {}
      }
    }
  }

  private final class Number: Sendable {}
#endif
