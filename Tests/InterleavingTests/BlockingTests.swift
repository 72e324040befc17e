#if Interleaving
  import CShims
  import Interleaving
  import Primitives
  import Testing

  struct BlockingTests {
    private final class Counter: Sendable {
      let value = Atomic(0)

      func addSlowly() {
        value.store(value.load(ordering: .relaxed) + 1, ordering: .relaxed)
      }
    }

    private static func lock(_ address: UnsafeRawPointer, isExclusive: Bool = true) {
      cws_scheduler_get().pointee.lock(address, isExclusive, cws_site())
    }

    private static func unlock(_ address: UnsafeRawPointer, isExclusive: Bool = true) {
      cws_scheduler_get().pointee.unlock(address, isExclusive, cws_site())
    }

    private static var first: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 0x1000)! }
    private static var second: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 0x2000)! }

    @Test(arguments: [true, false])
    func `an exclusive lock excludes, a shared one does not`(_ isExclusive: Bool) {
      let outcome = search { execution in
        let counter = Counter()
        for _ in 0..<3 {
          execution.thread {
            Self.lock(Self.first, isExclusive: isExclusive)
            counter.addSlowly()
            Self.unlock(Self.first, isExclusive: isExclusive)
          }
        }
        execution.runThreads()
        execution.require(counter.value.load(ordering: .relaxed) == 3)
      }
      #expect((outcome.failure == nil) == isExclusive)
    }

    @Test func `a lock that many wait for is not without end`() throws {
      let plan = Exploration(strategy: .randomWalk, seed: 1, executions: 3)
      let outcome = try plan.runInChildren { execution in
        for _ in 0..<150 {
          execution.thread {
            for _ in 0..<30 {
              Self.lock(Self.first)
              Self.unlock(Self.first)
            }
          }
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil, "\(String(describing: outcome.failure?.failure))")
    }

    @Test func `locks taken in two orders are a deadlock`() {
      let outcome = search { execution in
        func both(_ outer: UnsafeRawPointer, _ inner: UnsafeRawPointer) {
          Self.lock(outer)
          Self.lock(inner)
          Self.unlock(inner)
          Self.unlock(outer)
        }
        execution.thread("one") { both(Self.first, Self.second) }
        execution.thread("two") { both(Self.second, Self.first) }
        execution.runThreads()
      }
      #expect(
        outcome.failure?.failure == .deadlock("one waits for a lock, two waits for a lock"))
    }

    @Test func `a lock taken again by its holder is a deadlock`() {
      let outcome = search { execution in
        execution.thread("one") {
          Self.lock(Self.first)
          Self.lock(Self.first)
        }
        execution.runThreads()
      }
      #expect(outcome.failure?.failure == .deadlock("one waits for a lock"))
    }

    /// The signal raises the word, then wakes; the waiter looks at the event between reading the
    /// word and waiting.
    private func waitForEvent(readsTicketFirst: Bool) -> Outcome {
      search { execution in
        let event = Counter()
        let word = Counter()
        execution.thread("waiter") {
          withUnsafePointer(to: word.value) { pointer in
            let raw = UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt64.self)
            var ticket = word.value.load(ordering: .sequentiallyConsistent)
            if event.value.load(ordering: .sequentiallyConsistent) == 1 { return }
            if !readsTicketFirst { ticket = word.value.load(ordering: .sequentiallyConsistent) }
            cws_scheduler_get().pointee.wait(raw, UInt64(ticket), cws_site())
          }
        }
        execution.thread("signaller") {
          event.value.store(1, ordering: .sequentiallyConsistent)
          word.value.wrappingAdd(1, ordering: .sequentiallyConsistent)
          withUnsafePointer(to: word.value) { pointer in
            let raw = UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt64.self)
            cws_scheduler_get().pointee.wake_all(raw, cws_site())
          }
        }
        execution.runThreads()
      }
    }

    @Test func `a lost wake-up is a deadlock`() {
      #expect(waitForEvent(readsTicketFirst: true).failure == nil)
      #expect(
        waitForEvent(readsTicketFirst: false).failure?.failure
          == .deadlock("waiter waits for a wake-up"))
    }

    @Test func `the event counter loses no wake-up`() {
      let outcome = search { execution in
        let event = Counter()
        let counter = Shared()
        execution.thread("waiter") {
          counter.event.wait { event.value.load(ordering: .sequentiallyConsistent) == 0 }
        }
        execution.thread("signaller") {
          event.value.store(1, ordering: .sequentiallyConsistent)
          counter.event.signal()
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
    }

    private final class Shared: Sendable {
      let event = EventCount()
    }

    @Test func `a spin that nobody ends is without end`() {
      let outcome = search(stepLimit: 500) { execution in
        let counter = Counter()
        execution.thread {
          while counter.value.load(ordering: .relaxed) == 0 { spinHint() }
        }
        execution.runThreads()
      }
      #expect(outcome.failure?.failure == .stepsWithoutEnd)
    }

    /// They must not wake each other: the first schedule of each strategy can prefer them.
    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
      .depthFirst(preemptionBound: 1), .dynamicPartialOrderReduction,
    ])
    func `two spinning threads do not keep a third one from its step`(
      _ strategy: Exploration.Strategy
    ) {
      func outcome(_ isAwaited: @escaping @Sendable (Counter) -> Bool) -> Outcome {
        let plan = Exploration(
          strategy: strategy, seed: 1, executions: 300, memory: .sequentiallyConsistent,
          stepLimit: 500)
        return plan.run { execution in
          let counter = Counter()
          for _ in 0..<2 { execution.thread { while isAwaited(counter) { spinHint() } } }
          execution.thread { counter.value.store(1, ordering: .relaxed) }
          execution.runThreads()
        }
      }
      let byLoad = outcome { $0.value.load(ordering: .relaxed) == 0 }
      #expect(byLoad.failure == nil)
      let byUpdate = outcome { $0.value.bitwiseOr(0, ordering: .relaxed).newValue == 0 }
      #expect(byUpdate.failure == nil)
    }

    @Test func `a spin ends when another's late store is seen`() {
      let outcome = search { execution in
        let counter = Counter()
        execution.thread {
          while counter.value.load(ordering: .acquiring) == 0 { spinHint() }
        }
        execution.thread { counter.value.store(1, ordering: .relaxed) }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
    }
  }
#endif
