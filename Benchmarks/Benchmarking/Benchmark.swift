import Measurements
import SeededRandom
import Workloads

/// Trials of some contestants, whose rows are those that `weakbench run` writes.
///
/// ```swift
/// let benchmark = Benchmark(
///   of: [
///     Contestant(named: "mine", dictionary: MyDictionary.self),
///     .named("mutex", for: .dictionary)!,
///   ],
///   workloads: [try .named("read-heavy", for: .dictionary)], threads: [1, 2])
/// let rows = try await benchmark.run()
/// print(MeasurementCSV.text(of: rows))
/// ```
public struct Benchmark: Sendable {
  public var contestants: [Contestant]
  /// A contestant is left out of those that it does not support.
  public var workloads: [Workload]
  public var threads: [Int]
  public var sizes = [1024]
  /// How often each configuration is repeated; six allow an interval.
  public var trials = 6
  public var seconds = 0.44
  public var warmupSeconds = 0.1
  /// Drawn unless it is set; one seed gives the same keys and order again.
  public var seed: Seed

  public init(of contestants: [Contestant], workloads: [Workload], threads: [Int]) {
    self.contestants = contestants
    self.workloads = workloads
    self.threads = threads
    var generator = Self.generator
    seed = .random(using: &generator)
  }

  /// Makes the trials, one after the other in shuffled rounds; `each` gets every row when it is there.
  ///
  /// About 0.1 s longer a trial than the seconds and the warm-up. Only a release build is worth
  /// comparing; the rows of any other say so.
  ///
  /// - Throws: `TrialFailure` when a collection does not do what it promises, and what `each` throws.
  @discardableResult
  public func run(each: (Measurement) throws -> Void = { _ in }) async throws -> [Measurement] {
    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: threads, sizes: sizes,
      trials: trials, seed: seed, warmupSeconds: warmupSeconds, seconds: seconds)
    var generator = Self.generator
    let template = RowTemplate(
      run: RowTemplate.runName(at: .now, using: &generator),
      environment: EnvironmentProbe.environment(machine: nil))
    var rows: [Measurement] = []
    for trial in plan.specifications {
      let result = try await trial.run()
      let row = template.measurement(number: rows.count + 1, trial, result, at: .now)
      try each(row)
      rows.append(row)
    }
    return rows
  }

  /// Not the system's itself: ThreadSanitizer crashes on a change of a value without size.
  private static var generator: SplitMix64 {
    SplitMix64(seed: UInt64.random(in: .min ... .max))
  }
}

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
