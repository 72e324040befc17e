#if Interleaving
  import Interleaving

  extension Specimen {
    /// All defects, in the order of the documented tables.
    static let all = [
      treiberStack, eliminationStack, michaelScottQueue, boundedRing, chaseLevDeque, lazyList,
      harrisList, atomicSnapshot, lazyInstance, sequenceLock, sequenceLockReader, readersWriterLock,
    ]
  }

  /// How many executions each strategy needs to find the defect of a specimen.
  struct Findings {
    private static let seeds: ClosedRange<UInt64> = 1...10

    private let specimen: Specimen
    /// The number of executions after which a search ends.
    private let limit: Int
    // The numbers of executions; nil if they did not find the defect.
    private(set) var randomWalk: Int?
    private(set) var probabilisticConcurrency: Int?
    /// Of all searches up to the number of preemptions that finds it.
    private(set) var depthFirst: Int?
    private(set) var preemptions: Int?
    private(set) var reduced: Int?
    /// The failures that are not the effect of the defect.
    private(set) var otherFailures: [Failure] = []
    /// The time of the strategy that needs the shortest one.
    private(set) var shortest: Duration?

    init(of specimen: Specimen, limit: Int) {
      self.specimen = specimen
      self.limit = limit
      randomWalk = median(.randomWalk)
      probabilisticConcurrency = median(.probabilisticConcurrency(depth: 3))
      iterateDepthFirst()
      if specimen.isReducible {
        reduced = count([outcome(.dynamicPartialOrderReduction, seed: 1, limit)])
      }
    }

    var counts: [Int?] { [randomWalk, probabilisticConcurrency, depthFirst, reduced] }

    private mutating func outcome(
      _ strategy: Exploration.Strategy, seed: UInt64, _ executions: Int
    ) -> Outcome {
      let outcome = specimen.explore(
        true, specimen.plan(strategy, seed: seed, executions: executions))
      if let failure = outcome.failure?.failure, !specimen.explains(failure) {
        otherFailures.append(failure)
      }
      return outcome
    }

    private mutating func median(_ strategy: Exploration.Strategy) -> Int? {
      let outcomes = Self.seeds.map { outcome(strategy, seed: $0, limit) }
      let number = { (outcome: Outcome) in outcome.failure == nil ? .max : outcome.executions }
      return count([outcomes.sorted { number($0) < number($1) }[outcomes.count / 2]])
    }

    /// Searches with more and more preemptions (Musuvathi and Qadeer, 2007).
    private mutating func iterateDepthFirst() {
      var outcomes: [Outcome] = []
      for bound in 0...4 {
        let rest = limit - outcomes.reduce(0) { $0 + Int($1.executions) }
        if rest == 0 { return }
        outcomes.append(outcome(.depthFirst(preemptionBound: bound), seed: 1, rest))
        depthFirst = count(outcomes)
        if depthFirst != nil {
          preemptions = bound
          return
        }
      }
    }

    /// Returns the number of executions if the last search found the defect, and notes the time.
    private mutating func count(_ outcomes: [Outcome]) -> Int? {
      guard outcomes.last?.failure != nil else { return nil }
      let elapsed = outcomes.reduce(Duration.zero) { $0 + $1.elapsed }
      shortest = min(shortest ?? elapsed, elapsed)
      return outcomes.reduce(0) { $0 + Int($1.executions) }
    }
  }

  /// The searches of a correct twin.
  struct TwinSearches {
    /// Nil if partial-order reduction does not cover the memory model.
    var reduced: Outcome?
    var depthFirst: Outcome
    var randomWalk: Outcome

    init(of specimen: Specimen) {
      func outcome(_ strategy: Exploration.Strategy, _ executions: Int) -> Outcome {
        specimen.explore(false, specimen.plan(strategy, seed: 1, executions: executions))
      }
      if specimen.isReducible { reduced = outcome(.dynamicPartialOrderReduction, 2_000) }
      depthFirst = outcome(.depthFirst(preemptionBound: 1000), 10_000)
      randomWalk = outcome(.randomWalk, 1_000)
    }

    /// How many times fewer executions the reduced search needs: a lower bound unless the
    /// depth-first search is exhausted, and 0 unless the reduced one is. Nil without the latter.
    var ratio: UInt64? {
      reduced.map { $0.isExhaustive ? depthFirst.executions / $0.executions : 0 }
    }
  }

  extension Specimen {
    var isReducible: Bool { Exploration.Strategy.dynamicPartialOrderReduction.covers(memory) }

    func plan(_ strategy: Exploration.Strategy, seed: UInt64, executions: Int) -> Exploration {
      Exploration(
        strategy: strategy, seed: seed, executions: executions, memory: memory, stepLimit: 2000)
    }
  }
#endif
