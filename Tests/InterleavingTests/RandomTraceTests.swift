#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// Random programs, whose traces are checked against the C++ memory model.
  struct RandomTraceTests {
    private final class Word: Sendable {
      let value = Atomic(0)
    }

    private struct Memory {
      let words = (0..<2).map { _ in Word() }
      let plain = (0..<2).map { _ in PlainWord() }

      /// Executes a random operation. Each value is written once, so a value identifies its write.
      func take(_ operation: UInt64, writing value: Int) {
        let word = words[Int(operation >> 8 % 2)]
        let updates: [AtomicUpdateOrdering] = [
          .relaxed, .acquiring, .releasing, .acquiringAndReleasing, .sequentiallyConsistent,
        ]
        let update = updates[Int(operation >> 16 % 5)]
        switch operation % 16 {
        case 0...3: _ = word.value.exchange(value, ordering: update)
        case 4, 5:
          let seen = word.value.load(ordering: .relaxed)
          _ = word.value.compareExchange(expected: seen, desired: value, ordering: update)
        case 6...9:
          word.value.store(
            value,
            ordering: [.relaxed, .releasing, .sequentiallyConsistent][Int(operation >> 16 % 3)])
        case 10...13:
          _ = word.value.load(
            ordering: [.relaxed, .acquiring, .sequentiallyConsistent][Int(operation >> 16 % 3)])
        default:
          let place = plain[Int(operation >> 24 % 2)]
          if operation >> 32 % 3 == 0 { place.write(value) } else { place.read() }
        }
      }
    }

    /// Returns the SplitMix64 hash of a seed and a place in a program.
    private static func draw(_ seed: UInt64, _ place: Int) -> UInt64 {
      var z = seed &* 1_000 &+ UInt64(place) &* 0x9e37_79b9_7f4a_7c15
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }

    @Test(arguments: [
      (Exploration.Strategy.randomWalk, MemoryModel.storeBuffers),
      (.probabilisticConcurrency(depth: 3), .storeBuffers),
      (.randomWalk, .sequentiallyConsistent),
    ])
    func `no random program reads a forbidden value, and its races are found`(
      _ strategy: Exploration.Strategy, _ memory: MemoryModel
    ) throws {
      var races = 0
      for seed in 0..<4000 as Range<UInt64> {
        var plan = Exploration(strategy: strategy, seed: seed, executions: 1, memory: memory)
        plan.firstExecution = Int(seed % 3)
        let outcome = plan.run { execution in
          let memory = Memory()
          for thread in 1...3 {
            execution.thread {
              for place in 1...Int(2 + Self.draw(seed, thread) % 9) {
                let value = 100 * thread + place
                memory.take(Self.draw(seed, value), writing: value)
              }
            }
          }
          execution.runThreads()
          execution.fail("fails to get the trace")
        }
        let failed = try #require(outcome.failure)
        let oracle = TraceOracle(failed)
        if case .dataRace = failed.failure {
          races += 1
          #expect(oracle.race != nil, "seed \(seed)")
        } else {
          #expect(oracle.race == nil, "seed \(seed)")
          // Without a race the execution is complete, so no store is still buffered.
          #expect(oracle.incoherence == nil, "seed \(seed)")
        }
      }
      #expect((400...3600).contains(races), "\(races)")
    }
  }
#endif
