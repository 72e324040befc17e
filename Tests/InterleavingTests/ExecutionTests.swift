#if Interleaving
  import CShims
  import Interleaving
  import Primitives
  import Testing

  struct ExecutionTests {
    private let plan = Exploration(strategy: .randomWalk, seed: 1, executions: 200)

    // @unchecked: only one virtual thread runs at a time.
    private final class Notes: @unchecked Sendable {
      var all: [Int] = []
    }

    @Test func `each virtual thread has its own thread slots`() {
      ThreadSlot.participants.value = UnsafeMutableRawPointer(bitPattern: 0x77)
      defer { ThreadSlot.participants.value = nil }
      let outcome = plan.run { execution in
        execution.require(ThreadSlot.participants.value == nil)
        for thread in 1...3 {
          execution.thread {
            execution.require(ThreadSlot.participants.value == nil)
            ThreadSlot.participants.value = UnsafeMutableRawPointer(bitPattern: thread)
            for failure in 0..<3 {
              execution.pause()
              execution.require(Int(bitPattern: ThreadSlot.participants.value) == thread)
              execution.require(CurrentThread.failedCompareExchanges == failure)
              CurrentThread.noteFailedCompareExchange()
            }
          }
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
      #expect(Int(bitPattern: ThreadSlot.participants.value) == 0x77)
    }

    @Test func `an exit handler runs on its thread, and may register another one`() {
      let outcome = plan.run { execution in
        let notes = Notes()
        let pointer = Unmanaged.passUnretained(notes).toOpaque()
        execution.thread("first") {
          CurrentThread.atExit(pointer) { pointer in
            let notes = Unmanaged<Notes>.fromOpaque(pointer!).takeUnretainedValue()
            notes.all.append(Int(CurrentThread.number))
            Execution.current?.pause()
            guard notes.all.count < 2 else { return }
            CurrentThread.atExit(pointer!) { pointer in
              Unmanaged<Notes>.fromOpaque(pointer!).takeUnretainedValue().all.append(-1)
            }
          }
        }
        execution.thread("second") { execution.pause() }
        execution.runThreads()
        execution.require(notes.all == [2, -1], "\(notes.all)")
      }
      #expect(outcome.failure == nil)
    }

    @Test func `a thread may add threads and wait for them`() {
      let outcome = plan.run { execution in
        let notes = Notes()
        execution.thread {
          let child = execution.thread("child") {
            execution.pause()
            notes.all.append(2)
          }
          execution.join(child)
          notes.all.append(1)
        }
        execution.runThreads()
        execution.require(notes.all == [2, 1], "\(notes.all)")
      }
      #expect(outcome.failure == nil)
    }

    @Test func `threads may run in several rounds, and the scenario can check between them`() {
      let outcome = plan.run { execution in
        let notes = Notes()
        for round in 0..<3 {
          for _ in 0..<2 { execution.thread { notes.all.append(round) } }
          execution.runThreads()
          execution.require(notes.all.count == 2 * (round + 1))
        }
      }
      #expect(outcome.failure == nil)
      #expect(outcome.executions == 200)
    }

    @Test func `timestamps increase`() {
      let outcome = plan.run { execution in
        let (first, second) = (execution.now, execution.now)
        execution.require(first < second)
      }
      #expect(outcome.failure == nil)
    }

    @Test func `threads beyond the number of clock lanes run without race checks`() {
      let outcome = plan.run { execution in
        let word = PlainWord()
        let notes = Notes()
        for thread in 1...128 {
          execution.thread {
            execution.pause()
            word.write(thread)
            notes.all.append(thread)
          }
        }
        execution.runThreads()
        word.reclaim()
        execution.require(notes.all.sorted() == Array(1...128))
      }
      #expect(outcome.failure == nil)
    }

    @Test func `an observer receives every step`() {
      let seen = Notes()
      var plan = Exploration(
        strategy: .depthFirst(preemptionBound: 0), seed: 1, executions: 1,
        memory: .sequentiallyConsistent)
      plan.observer = { step in
        if step.isWrite { seen.all.append(step.thread) }
      }
      let outcome = plan.run { execution in
        let counter = Counter()
        execution.thread { counter.value.store(1, ordering: .relaxed) }
        execution.thread { counter.value.wrappingAdd(1, ordering: .relaxed) }
        execution.runThreads()
        execution.require(counter.value.load(ordering: .relaxed) == 2)
      }
      #expect(outcome.failure == nil)
      #expect(seen.all == [1, 2])
    }

    private final class Counter: Sendable {
      let value = Atomic(0)
    }

    @Test func `outside of an execution atomics use the machine's operations`() {
      #expect(Execution.current == nil)
      let counter = Counter()
      #expect(counter.value.wrappingAdd(2, ordering: .relaxed).newValue == 2)
    }
  }
#endif
