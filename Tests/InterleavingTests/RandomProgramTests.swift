#if Interleaving
  import Interleaving
  import Primitives
  import SeededTesting
  import Testing

  /// Programs drawn at random, of which little is known but that much.
  struct RandomProgramTests {
    /// One operation on one of a few words; no word is both stored to and added to.
    private enum Operation {
      case add(word: Int, AtomicUpdateOrdering)
      case exchange(word: Int, AtomicUpdateOrdering)
      case store(word: Int, AtomicStoreOrdering)
      case load(word: Int, AtomicLoadOrdering)
    }

    private final class Words: Sendable {
      private final class Word: Sendable {
        let value = Atomic(0)
      }

      // Added to by all, then one stored to by each thread alone.
      private let words = (0..<6).map { _ in Word() }

      func take(_ operation: Operation, number: Int) {
        switch operation {
        case .add(let word, let ordering): words[word].value.wrappingAdd(1, ordering: ordering)
        case .exchange(let word, let ordering):
          var old = words[word].value.load(ordering: .relaxed)
          while true {
            let (exchanged, original) = words[word].value.compareExchange(
              expected: old, desired: old + 1, ordering: ordering)
            if exchanged { break }
            old = original
          }
        case .store(let word, let ordering): words[word].value.store(number, ordering: ordering)
        case .load(let word, let ordering): _ = words[word].value.load(ordering: ordering)
        }
      }

      func value(_ word: Int) -> Int { words[word].value.load(ordering: .relaxed) }
    }

    private static func program(
      thread: Int, _ random: inout SeededGenerator
    ) -> [Operation] {
      let updates: [AtomicUpdateOrdering] = [
        .relaxed, .acquiring, .releasing, .acquiringAndReleasing, .sequentiallyConsistent,
      ]
      let stores: [AtomicStoreOrdering] = [.relaxed, .releasing, .sequentiallyConsistent]
      let loads: [AtomicLoadOrdering] = [.relaxed, .acquiring, .sequentiallyConsistent]
      return (0..<Int.random(in: 1...8, using: &random)).map { _ in
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          .add(word: .random(in: 0..<3, using: &random), updates.randomElement(using: &random)!)
        case 1:
          .exchange(
            word: .random(in: 0..<3, using: &random), updates.randomElement(using: &random)!)
        case 2: .store(word: 3 + thread, stores.randomElement(using: &random)!)
        default:
          .load(word: .random(in: 0..<6, using: &random), loads.randomElement(using: &random)!)
        }
      }
    }

    private static func updates(_ programs: [[Operation]], of word: Int) -> Int {
      programs.joined().count {
        switch $0 {
        case .add(word, _), .exchange(word, _): true
        default: false
        }
      }
    }

    private static func lastStore(_ program: [Operation]) -> Int {
      (program.lastIndex { if case .store = $0 { true } else { false } } ?? -1) + 1
    }

    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
      .depthFirst(preemptionBound: 1),
    ])
    func `no update is lost, and a thread's last store is what stays`(
      _ strategy: Exploration.Strategy
    ) {
      for seed in 0..<60 as Range<UInt64> {
        var random = SeededGenerator(seed: seed)
        let programs = (0..<3).map { Self.program(thread: $0, &random) }
        let plan = Exploration(strategy: strategy, seed: seed, executions: 50)
        let outcome = plan.run { execution in
          let words = Words()
          for program in programs {
            execution.thread {
              for (index, operation) in program.enumerated() {
                words.take(operation, number: index + 1)
              }
            }
          }
          execution.runThreads()
          for word in 0..<3 {
            execution.require(words.value(word) == Self.updates(programs, of: word), "lost")
            execution.require(words.value(3 + word) == Self.lastStore(programs[word]), "late")
          }
        }
        #expect(outcome.failure == nil, "seed \(seed)")
      }
    }
  }
#endif
