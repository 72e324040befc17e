#if Interleaving
  import Interleaving
  import Testing

  /// The drop-in types under the scheduler.
  struct DropInSchedulesTests {
    private final class Shared: Sendable {
      let list = Mutex<[Int]>([])
      let changed = ConditionVariable()
      let semaphore = Semaphore(1)
      let first = Atomic(0)
      let second = Atomic(0)
      let firstSeen = Atomic(-1)
      let secondSeen = Atomic(-1)
    }

    @Test func `a mutex excludes, and without it an update is lost`() {
      func outcome(isLocked: Bool) -> Outcome {
        search { execution in
          let shared = Shared()
          @Sendable func add() {
            shared.first.store(shared.first.load(ordering: .relaxed) + 1, ordering: .relaxed)
          }
          for _ in 0..<2 {
            execution.thread { if isLocked { shared.list.withLock { _ in add() } } else { add() } }
          }
          execution.runThreads()
          execution.require(shared.first.load(ordering: .relaxed) == 2)
        }
      }
      #expect(outcome(isLocked: true).failure == nil)
      #expect(outcome(isLocked: false).failure != nil)
    }

    @Test func `a mutex is not available while another thread has it, and is after that`() {
      let outcome = search { execution in
        let shared = Shared()
        for _ in 0..<2 {
          execution.thread {
            if shared.list.withLockIfAvailable({ $0.append(1) }) != nil {
              shared.first.wrappingAdd(1, ordering: .relaxed)
            }
          }
        }
        execution.runThreads()
        let count = shared.list.withLock { $0.count }
        execution.require(count == shared.first.load(ordering: .relaxed) && count >= 1)
      }
      #expect(outcome.failure == nil)
      let both = search { execution in
        let shared = Shared()
        for _ in 0..<2 {
          execution.thread { _ = shared.list.withLockIfAvailable { $0.append(1) } }
        }
        execution.runThreads()
        execution.require(shared.list.withLock { $0.count } == 2, "one thread got nothing")
      }
      #expect(both.failure?.failure == .assertion("one thread got nothing"))
    }

    @Test func `a condition variable loses no wake-up, and a missing broadcast is a deadlock`() {
      func outcome(broadcasts: Bool) -> Outcome {
        search { execution in
          let shared = Shared()
          execution.thread("taker") {
            _ = shared.changed.wait(for: shared.list) { $0.isEmpty ? nil : $0.removeFirst() }
          }
          execution.thread("putter") {
            shared.list.withLock { $0.append(1) }
            if broadcasts { shared.changed.broadcast() }
          }
          execution.runThreads()
        }
      }
      #expect(outcome(broadcasts: true).failure == nil)
      #expect(
        outcome(broadcasts: false).failure?.failure
          == .deadlock("taker waits for a wake-up"))
    }

    @Test func `a semaphore admits as many threads as it counts`() {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 2), seed: 1, executions: 200_000,
        memory: .sequentiallyConsistent)
      let outcome = plan.run { execution in
        let shared = Shared()
        for _ in 0..<2 {
          execution.thread {
            shared.semaphore.wait()
            let inside = shared.first.wrappingAdd(1, ordering: .relaxed).newValue
            execution.require(inside == 1)
            shared.first.wrappingSubtract(1, ordering: .relaxed)
            shared.semaphore.signal()
          }
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
      #expect(outcome.isExhaustive)
    }

    @Test func `a thread that a thread spawns is a virtual one`() {
      let outcome = search { execution in
        let shared = Shared()
        execution.thread {
          let child = spawn { shared.first.store(1, ordering: .relaxed) }
          child.join()
          execution.require(shared.first.load(ordering: .relaxed) == 1)
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
    }

    /// Each thread stores, and then looks for the other one's store.
    private func storeThenLoad(_ fence: AtomicUpdateOrdering) -> Outcome {
      search { execution in
        let shared = Shared()
        execution.thread {
          shared.first.store(1, ordering: .relaxed)
          atomicMemoryFence(ordering: fence)
          shared.secondSeen.store(shared.second.load(ordering: .relaxed), ordering: .relaxed)
        }
        execution.thread {
          shared.second.store(1, ordering: .relaxed)
          atomicMemoryFence(ordering: fence)
          shared.firstSeen.store(shared.first.load(ordering: .relaxed), ordering: .relaxed)
        }
        execution.runThreads()
        let seen =
          shared.firstSeen.load(ordering: .relaxed) + shared.secondSeen.load(ordering: .relaxed)
        execution.require(seen > 0, "neither thread saw the other one")
      }
    }

    @Test func `a sequentially consistent fence orders a store before a load, a weaker one not`() {
      #expect(storeThenLoad(.sequentiallyConsistent).failure == nil)
      #expect(
        storeThenLoad(.acquiringAndReleasing).failure?.failure
          == .assertion("neither thread saw the other one"))
    }

    /// A message in a plain word, announced by a relaxed flag with fences around it.
    private func pass(
      before: AtomicUpdateOrdering?, after: AtomicUpdateOrdering?, isLate: Bool = false
    ) -> Outcome {
      search { execution in
        let word = PlainWord()
        let shared = Shared()
        execution.thread {
          if isLate, let before { atomicMemoryFence(ordering: before) }
          word.write(1)
          if !isLate, let before { atomicMemoryFence(ordering: before) }
          shared.first.store(1, ordering: .relaxed)
        }
        execution.thread {
          guard shared.first.load(ordering: .relaxed) == 1 else { return }
          if let after { atomicMemoryFence(ordering: after) }
          word.read()
        }
        execution.runThreads()
        word.reclaim()
      }
    }

    @Test func `a release fence and an acquire fence pass a message, one alone does not`() {
      #expect(pass(before: .releasing, after: .acquiring).failure == nil)
      #expect(pass(before: .acquiringAndReleasing, after: .sequentiallyConsistent).failure == nil)
      for outcome in [
        pass(before: .releasing, after: nil), pass(before: nil, after: .acquiring),
        pass(before: .acquiring, after: .acquiring), pass(before: .releasing, after: .releasing),
        pass(before: .releasing, after: .acquiring, isLate: true),
      ] {
        guard case .dataRace = outcome.failure?.failure else {
          Issue.record("\(String(describing: outcome.failure?.failure))")
          continue
        }
      }
    }

    @Test func `stores do not pass a release fence, and pass each other without one`() {
      func outcome(isFenced: Bool) -> Outcome {
        search { execution in
          let shared = Shared()
          execution.thread {
            shared.first.store(1, ordering: .relaxed)
            if isFenced { atomicMemoryFence(ordering: .releasing) }
            shared.second.store(1, ordering: .relaxed)
          }
          execution.thread {
            let second = shared.second.load(ordering: .relaxed)
            let first = shared.first.load(ordering: .relaxed)
            execution.require(second <= first, "the stores passed each other")
          }
          execution.runThreads()
        }
      }
      #expect(outcome(isFenced: true).failure == nil)
      #expect(
        outcome(isFenced: false).failure?.failure == .assertion("the stores passed each other"))
    }

    @Test func `a buffered store does not reach memory that has been freed`() {
      let outcome = search { execution in
        execution.thread {
          for number in 0..<8 {
            let shared = Shared()
            shared.first.store(number + 1, ordering: .relaxed)
          }
        }
        execution.thread {
          for _ in 0..<2 {
            let shared = Shared()
            execution.pause()
            let value = shared.first.load(ordering: .relaxed)
            execution.require(value == 0, "a new object has the value \(value)")
          }
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
    }
  }
#endif
