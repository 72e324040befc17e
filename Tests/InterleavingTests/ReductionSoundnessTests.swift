#if Interleaving
  import Interleaving
  import Primitives
  import SeededTesting
  import Testing

  /// Random programs, whose outcomes by depth-first search without a bound are those that the
  /// reduced search must find.
  struct ReductionSoundnessTests {
    /// One operation. Words 0 to 2 are variables, words 3 and 4 are locks.
    private enum Operation {
      case load(word: Int, AtomicLoadOrdering)
      case store(word: Int, value: Int, AtomicStoreOrdering)
      case add(word: Int, AtomicUpdateOrdering)
      case compareExchange(word: Int, expected: Int, value: Int, AtomicUpdateOrdering)
      case addUnderLock(word: Int, lock: Int)
      case loadUnderSharedLock(word: Int, lock: Int)
      /// Adds to the word if the lock is free.
      case addIfLocked(word: Int, lock: Int)
      case fence(AtomicUpdateOrdering)
      /// Looks at the word twice at most, and spins between.
      case spin(word: Int)
      case barrier
      case wait(word: Int)
      case wake(word: Int)
      /// Creates a thread that stores the value, and joins it if that is so.
      case thread(word: Int, value: Int, joins: Bool)
      case stamp

      /// Whether the operation has an effect before its first step. A depth-first search executes
      /// the beginning of a thread and its first step without a switch between them, the reduced
      /// search does not, so it would find more.
      var beginsWithLocalCode: Bool {
        switch self {
        case .thread, .stamp: true
        default: false
        }
      }

      /// The number of scheduling points, with the drain of a buffered store.
      var steps: Int {
        switch self {
        case .stamp: 0
        case .fence: 1
        case .load, .wait, .wake: 1
        case .store, .add, .compareExchange, .spin: 2
        case .thread(_, _, let joins): joins ? 3 : 2
        case .addUnderLock, .addIfLocked: 4
        case .loadUnderSharedLock: 3
        case .barrier: 3
        }
      }
    }

    /// What a program's operations may be.
    enum Vocabulary: CaseIterable {
      case accesses, locks, attempts, fences, spins, barriers, waits, threads

      /// Whether a trace is determined by the accesses to words and locks.
      var isCounted: Bool { self == .accesses || self == .locks }
    }

    private struct Program {
      var threads: [[Operation]] = []

      init(_ vocabulary: Vocabulary, steps: Int, _ random: inout SeededGenerator) {
        let words = Int.random(in: 1...3, using: &random)
        repeat {
          threads = (0..<Int.random(in: 2...3, using: &random)).map { thread in
            (0..<Int.random(in: 1...4, using: &random)).map { place in
              Self.operation(vocabulary, words, value: 10 * thread + place + 1, &random)
            }
          }
        } while threads.joined().map(\.steps).reduce(0, +) > steps
          || threads.contains { $0[0].beginsWithLocalCode }
      }

      private static func operation(
        _ vocabulary: Vocabulary, _ words: Int, value: Int, _ random: inout SeededGenerator
      ) -> Operation {
        let loads: [AtomicLoadOrdering] = [.relaxed, .acquiring, .sequentiallyConsistent]
        let stores: [AtomicStoreOrdering] = [.relaxed, .releasing, .sequentiallyConsistent]
        let updates: [AtomicUpdateOrdering] = [
          .relaxed, .acquiring, .releasing, .acquiringAndReleasing, .sequentiallyConsistent,
        ]
        let word = Int.random(in: 0..<words, using: &random)
        let lock = Int.random(in: 3...4, using: &random)
        switch (Int.random(in: 0..<8, using: &random), vocabulary) {
        case (0, .locks), (1, .locks), (2, .locks): return .addUnderLock(word: word, lock: lock)
        case (3, .locks): return .loadUnderSharedLock(word: word, lock: lock)
        case (0, .attempts), (1, .attempts): return .addIfLocked(word: word, lock: 3)
        case (2, .attempts): return .addUnderLock(word: word, lock: 3)
        case (0, .fences), (1, .fences):
          return .fence(updates.dropFirst().randomElement(using: &random)!)
        case (0, .spins): return .spin(word: word)
        case (0, .barriers): return .barrier
        case (0, .waits): return .wait(word: word)
        case (1, .waits), (2, .waits): return .wake(word: word)
        case (0, .threads):
          return .thread(word: word, value: value, joins: .random(using: &random))
        case (1, .threads): return .stamp
        case (0...2, _):
          return .store(word: word, value: value, stores.randomElement(using: &random)!)
        case (3...5, _): return .load(word: word, loads.randomElement(using: &random)!)
        case (6, _): return .add(word: word, updates.randomElement(using: &random)!)
        default:
          return .compareExchange(
            word: word, expected: 0, value: value, updates.randomElement(using: &random)!)
        }
      }
    }

    private static func take(
      _ operation: Operation, _ words: SharedWords, _ execution: Execution, _ seen: inout [Int]
    ) {
      switch operation {
      case .load(let word, let ordering): seen.append(words.load(word, ordering))
      case .store(let word, let value, let ordering): words.store(value, in: word, ordering)
      case .add(let word, let ordering): seen.append(words.add(100, to: word, ordering))
      case .compareExchange(let word, let expected, let value, let ordering):
        seen.append(words.compareExchange(word, expected, value, ordering).original)
      case .addUnderLock(let word, let lock):
        words.locked(lock) {
          words.store(words.load(word, .relaxed) + 100, in: word, .relaxed)
        }
      case .loadUnderSharedLock(let word, let lock):
        words.locked(lock, exclusively: false) { seen.append(words.load(word, .relaxed)) }
      case .addIfLocked(let word, let lock):
        let isLocked = words.attempt(lock) {
          words.store(words.load(word, .relaxed) + 1000, in: word, .relaxed)
        }
        seen.append(isLocked ? 1 : 0)
      case .fence(let ordering): atomicMemoryFence(ordering: ordering)
      case .spin(let word):
        if words.load(word, .relaxed) == 0 {
          spinHint()
          seen.append(words.load(word, .relaxed))
        }
      case .barrier: _ = AsymmetricBarrier.heavy()
      case .wait(let word): words.wait(whileZero: word)
      case .wake(let word): words.wakeOne(word)
      case .thread(let word, let value, let joins):
        let child = execution.thread { words.store(value, in: word, .relaxed) }
        if joins { execution.join(child) }
      case .stamp: seen.append(Int(execution.now))
      }
    }

    /// What the executions of a search ended with: the values that each thread has loaded, and the
    /// last ones.
    private final class Ends {
      var all: Set<[[Int]]> = []
      let traces = TraceSet()
    }

    private static func explore(
      _ threads: [[Operation]], _ strategy: Exploration.Strategy, _ memory: MemoryModel
    ) -> (outcome: Outcome, ends: Ends) {
      let ends = Ends()
      var plan = Exploration(
        strategy: strategy, seed: 1, executions: 20_000, memory: memory)
      let traces = ends.traces
      if memory == .sequentiallyConsistent { plan.observer = { traces.take($0) } }
      let outcome = plan.run { execution in
        let words = SharedWords(5)
        traces.begin(words: (0..<5).map(words.address))
        var seen: [[Int]] = threads.map { _ in [] }
        for (thread, operations) in threads.enumerated() {
          execution.thread {
            var own: [Int] = []
            for operation in operations { take(operation, words, execution, &own) }
            seen[thread] = own
          }
        }
        execution.runThreads()
        traces.end()
        ends.all.insert(seen + [(0..<3).map { words[$0] }])
      }
      return (outcome, ends)
    }

    @Test(arguments: Vocabulary.allCases, [MemoryModel.sequentiallyConsistent, .storeBuffers])
    func `the reduced search finds each outcome of a random program`(
      _ vocabulary: Vocabulary, _ memory: MemoryModel
    ) {
      var compared = 0
      var executions: (full: UInt64, reduced: UInt64) = (0, 0)
      for seed in 0..<10_000 as Range<UInt64> where compared < 100 {
        var random = SeededGenerator(seed: seed)
        let steps = memory == .sequentiallyConsistent ? 14 : 11
        let threads = Program(vocabulary, steps: steps, &random).threads
        let full = Self.explore(threads, .depthFirst(preemptionBound: 1000), memory)
        // A program that has too many executions for this, or a deadlock, is replaced by another.
        guard full.outcome.isExhaustive || full.outcome.failure != nil else { continue }
        let reduced = Self.explore(threads, .dynamicPartialOrderReduction, memory)
        #expect(
          full.outcome.failure?.failure.isDeadlock == reduced.outcome.failure?.failure.isDeadlock)
        guard full.outcome.isExhaustive else { continue }
        compared += 1
        executions.full += full.outcome.executions
        executions.reduced += reduced.outcome.executions
        #expect(reduced.outcome.isExhaustive, "seed \(seed)")
        #expect(reduced.ends.all == full.ends.all, "seed \(seed): \(threads)")
        if memory == .sequentiallyConsistent, vocabulary.isCounted {
          let complete = reduced.outcome.executions - reduced.outcome.blockedExecutions
          #expect(complete == full.ends.traces.count, "seed \(seed): \(threads)")
        }
      }
      #expect(compared == 100)
      #expect(executions.reduced < executions.full, "\(executions)")
    }
  }

  extension Failure {
    fileprivate var isDeadlock: Bool {
      if case .deadlock = self { true } else { false }
    }
  }

  /// Counts the distinct traces of executions, knowing nothing of how a search selects them.
  ///
  /// A trace is determined by what each thread does and, for each word, by the order of its writes
  /// and the set of reads between two of them. For a lock it is the order of the exclusive
  /// acquisitions, with the shared ones between.
  // @unchecked: an exploration calls it on one thread of the system.
  private final class TraceSet: @unchecked Sendable {
    private struct Access: Hashable {
      var thread: Int
      var number: Int
      var kind: Step.Kind
    }

    private var words: [UInt: Int] = [:]
    private var numbers: [Int: Int] = [:]
    /// For each word, the sets of reads and, alternately, the single writes.
    private var orders: [Int: [Set<Access>]] = [:]
    private var isOpen = false
    private var all: Set<[Int: [Set<Access>]]> = []

    var count: Int { all.count }

    func begin(words addresses: [UnsafeRawPointer]) {
      words = [:]
      for (word, address) in addresses.enumerated() { words[UInt(bitPattern: address)] = word }
      numbers = [:]
      orders = [:]
      isOpen = true
    }

    func take(_ step: ObservedStep) {
      guard isOpen, step.thread > 0, let word = words[step.address] else { return }
      let number = numbers[step.thread, default: 0]
      numbers[step.thread] = number + 1
      let isWrite: Bool
      switch step.kind {
      case .store, .update, .compareExchange: isWrite = true
      case .lock: isWrite = step.value == 1
      case .load, .failedCompareExchange: isWrite = false
      default: return
      }
      let access = Access(thread: step.thread, number: number, kind: step.kind)
      var order = orders[word] ?? [[]]
      if isWrite {
        order += [[access], []]
      } else {
        order[order.count - 1].insert(access)
      }
      orders[word] = order
    }

    func end() {
      isOpen = false
      all.insert(orders)
    }
  }
#endif
