import Workloads

/// All trials of a run in the order in which they are made.
///
/// Each repetition shuffles all configurations anew, so that a slow minute of the machine does not fall
/// on one contestant alone, and an interrupted run has about as many trials of each.
public struct TrialPlan: Sendable {
  public let specifications: [TrialSpecification]

  public init(
    contestants: [Contestant], workloads: [Workload], threads: [Int], sizes: [Int], trials: Int,
    seed: Seed, warmupSeconds: Double, seconds: Double
  ) {
    var specifications: [TrialSpecification] = []
    for number in 1...max(1, trials) {
      var round: [TrialSpecification] = []
      // One seed per repetition: contestants are compared on the same keys and schedules.
      let trialSeed = seed.derived(for: .trial, index: number)
      for contestant in contestants {
        for workload in workloads where contestant.supports(workload) {
          for threads in threads {
            for size in sizes {
              round.append(
                TrialSpecification(
                  contestant: contestant, workload: workload, threads: threads, size: size,
                  seed: trialSeed, number: number, warmupSeconds: warmupSeconds, seconds: seconds))
            }
          }
        }
      }
      var order = SplitMix64(seed: seed.derived(for: .order, index: number))
      order.shuffle(&round)
      specifications += round
    }
    self.specifications = specifications
  }

  public var estimatedSeconds: Double {
    specifications.reduce(0) { $0 + $1.estimatedSeconds }
  }
}
