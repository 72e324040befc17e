import Measurements
import SeededRandom
import Workloads

/// All trials of a run in the order in which they are made.
///
/// Each repetition shuffles all configurations anew, so that a slow minute of the machine does not fall
/// on one contestant alone, and an interrupted run has about as many trials of each. A repetition is made
/// by one process as a whole; several take turns, so that what changes with time falls on all of them.
public struct TrialPlan: Sendable {
  public let specifications: [TrialSpecification]

  public init(
    contestants: [Contestant], workloads: [Workload], threads: [Int], sizes: [Int], trials: Int,
    forks: Int = 1, seed: Seed, warmupSeconds: Double, seconds: Double,
    paces: [Measurement.Pace] = [.closed]
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
              for pace in paces where pace.mode == .closed || contestant.isPaceable {
                round.append(
                  TrialSpecification(
                    contestant: contestant, workload: workload, threads: threads, size: size,
                    seed: trialSeed, number: number, fork: (number - 1) % forks + 1,
                    warmupSeconds: warmupSeconds, seconds: seconds, pace: pace))
              }
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
