#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct RaceTests {
    /// Message passing: a plain word holds the message, and an atomic flag announces it.
    private func pass(
      _ store: AtomicStoreOrdering, _ load: AtomicLoadOrdering, weakened: [Weakening] = []
    ) -> Outcome {
      search(weakened: weakened) { execution in
        let word = PlainWord()
        let flag = Flag()
        execution.thread("writer") {
          word.write(1)
          flag.value.store(1, ordering: store)
        }
        execution.thread("reader") {
          if flag.value.load(ordering: load) == 1 { word.read() }
        }
        execution.runThreads()
        word.reclaim()
      }
    }

    private final class Flag: Sendable {
      let value = Atomic(0)
    }

    private func isRace(_ outcome: Outcome) -> Bool {
      if case .dataRace = outcome.failure?.failure { true } else { false }
    }

    @Test
    func `a barrier on all threads orders their earlier accesses before the caller's later ones`() {
      func outcome(isComplete: Bool) -> Outcome {
        search { execution in
          let word = PlainWord()
          let flag = Flag()
          execution.thread("reader") {
            word.read()
            flag.value.store(1, ordering: .relaxed)
          }
          execution.thread("writer") {
            guard flag.value.load(ordering: .relaxed) == 1 else { return }
            if isComplete { _ = AsymmetricBarrier.heavy() }
            word.write(1)
          }
          execution.runThreads()
          word.reclaim()
        }
      }
      #expect(isRace(outcome(isComplete: false)))
      #expect(outcome(isComplete: true).failure == nil)
    }

    /// The barrier does not order the caller's later accesses before the other thread's accesses.
    @Test
    func `a barrier on all threads does not order the caller's later accesses before the others'`()
    {
      let outcome = search { execution in
        let word = PlainWord()
        execution.thread("caller") {
          _ = AsymmetricBarrier.heavy()
          word.write(1)
        }
        execution.thread("other") { word.read() }
        execution.runThreads()
        word.reclaim()
      }
      #expect(isRace(outcome))
    }

    @Test func `a message needs a release and an acquire`() {
      #expect(isRace(pass(.relaxed, .relaxed)))
      #expect(isRace(pass(.releasing, .relaxed)))
      #expect(isRace(pass(.relaxed, .acquiring)))
      #expect(pass(.releasing, .acquiring).failure == nil)
    }

    @Test func `a weakening changes the ordering of the sites that it names`() {
      func outcome(_ kind: Step.Kind, function: String?) -> Outcome {
        let weakening = Weakening(
          file: "RaceTests.swift", function: function, kind: kind, ordering: .relaxed)
        return pass(.releasing, .acquiring, weakened: [weakening])
      }
      #expect(isRace(outcome(.load, function: nil)))
      #expect(isRace(outcome(.store, function: "pass(_:_:weakened:)")))
      #expect(outcome(.store, function: nil).weakenedSteps > 0)
      let elsewhere = outcome(.store, function: "elsewhere()")
      #expect(elsewhere.failure == nil)
      #expect(elsewhere.weakenedSteps == 0)
    }

    @Test func `a weakened compare-exchange that fails acquires no more than one that succeeds`() {
      func outcome(_ ordering: Ordering) -> Outcome {
        search(weakened: [
          Weakening(
            file: "RaceTests.swift", function: nil, kind: .compareExchange, ordering: ordering)
        ]) {
          execution in
          let word = PlainWord()
          let flag = Flag()
          execution.thread {
            word.write(1)
            flag.value.store(1, ordering: .releasing)
          }
          execution.thread {
            let (exchanged, _) = flag.value.compareExchange(
              expected: 0, desired: 2, ordering: .acquiringAndReleasing)
            if !exchanged { word.read() }
          }
          execution.runThreads()
          word.reclaim()
        }
      }
      #expect(outcome(.acquiring).failure == nil)
      #expect(isRace(outcome(.releasing)))
      #expect(isRace(outcome(.relaxed)))
    }

    @Test func `a relaxed update continues the release sequence of the store that it reads`() {
      let outcome = search { execution in
        let word = PlainWord()
        let flag = Flag()
        execution.thread {
          word.write(1)
          flag.value.store(1, ordering: .releasing)
        }
        execution.thread { flag.value.wrappingAdd(10, ordering: .relaxed) }
        execution.thread {
          if flag.value.load(ordering: .acquiring) == 11 { word.read() }
        }
        execution.runThreads()
        word.reclaim()
      }
      #expect(outcome.failure == nil)
    }

    @Test
    func `reading the own buffered store does not acquire an earlier release of another thread`()
      throws
    {
      // The first thread's store becomes visible. Then the second thread buffers its own store, and
      // loads its value.
      let schedule = try Schedule(parsing: "1sb:1,d1.0,2x2")
      let plan = Exploration(strategy: .replay(schedule), seed: 1, executions: 1)
      let outcome = plan.run { execution in
        let word = PlainWord()
        let flag = Flag()
        execution.thread {
          word.write(1)
          flag.value.store(1, ordering: .releasing)
        }
        execution.thread {
          flag.value.store(2, ordering: .relaxed)
          if flag.value.load(ordering: .acquiring) == 2 { word.read() }
        }
        execution.runThreads()
        word.reclaim()
      }
      #expect(isRace(outcome))
      #expect(outcome.failure?.schedule == schedule)
    }

    @Test func `reading the own update acquires the release that the update read`() {
      let outcome = search { execution in
        let word = PlainWord()
        let flag = Flag()
        execution.thread {
          word.write(1)
          flag.value.store(1, ordering: .releasing)
        }
        execution.thread {
          // Continues the release sequence of the store, if it executes after it.
          flag.value.wrappingAdd(2, ordering: .relaxed)
          if flag.value.load(ordering: .acquiring) == 3 { word.read() }
        }
        execution.runThreads()
        word.reclaim()
      }
      #expect(outcome.failure == nil)
    }

    @Test func `two plain writes race, but two plain reads do not`() {
      func both(_ body: @escaping (PlainWord) -> Void) -> Outcome {
        search { execution in
          let word = PlainWord()
          execution.thread { body(word) }
          execution.thread { body(word) }
          execution.runThreads()
          word.reclaim()
        }
      }
      #expect(isRace(both { $0.write(1) }))
      #expect(both { $0.read() }.failure == nil)
    }

    @Test func `the start and the end of a thread order its accesses with those of its parent`() {
      let outcome = search { execution in
        let word = PlainWord()
        word.write(0)
        execution.thread {
          word.write(1)
          let child = execution.thread { word.write(2) }
          execution.join(child)
          word.write(3)
        }
        execution.runThreads()
        execution.require(word.read() == 3)
        word.reclaim()
      }
      #expect(outcome.failure == nil)
    }
  }
#endif
