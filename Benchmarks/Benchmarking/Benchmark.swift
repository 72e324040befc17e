import Measurements
import SeededRandom
import Workloads

/// A set of trials; its rows are the same as those of `weakbench run`.
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
  /// The collections to measure.
  public var contestants: [Contestant]
  /// The workloads to run; a contestant skips those that it does not support.
  public var workloads: [Workload]
  /// The numbers of threads to measure.
  public var threads: [Int]
  /// The numbers of entries to measure.
  public var entries = [1024]
  /// The number of trials of each configuration; six are the minimum for a confidence interval.
  public var trials = 6
  /// The duration of the timed part of a trial.
  public var seconds = 0.44
  /// The duration of the warm-up of a trial.
  public var warmupSeconds = 0.1
  /// The seed of the run, random by default; the same seed gives the same keys and order.
  public var seed: Seed

  /// Creates a benchmark with a random seed and the defaults of its other properties.
  public init(of contestants: [Contestant], workloads: [Workload], threads: [Int]) {
    self.contestants = contestants
    self.workloads = workloads
    self.threads = threads
    var generator = Self.generator
    seed = .random(using: &generator)
  }

  /// Runs the trials one by one, in shuffled rounds, and returns their rows.
  ///
  /// A trial takes slightly longer than `seconds` and `warmupSeconds` together. Only the rows of a
  /// release build are worth comparing; the rows of other builds are marked.
  ///
  /// - Parameter each: A closure that gets every row as soon as its trial ends.
  /// - Throws: `TrialFailure` if a collection breaks its contract, and any error of `each`.
  @discardableResult
  public func run(each: (Measurement) throws -> Void = { _ in }) async throws -> [Measurement] {
    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: threads, entries: entries,
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

  /// A generator with a random seed.
  ///
  /// `SystemRandomNumberGenerator` has size zero, and ThreadSanitizer crashes on the mutation of
  /// such a value.
  private static var generator: SplitMix64 {
    SplitMix64(seed: UInt64.random(in: .min ... .max))
  }
}

/// The trials of a run, in the order in which they run.
///
/// Each repetition shuffles the cells again: the combinations of a workload, threads, a size and a
/// pace. A slow minute of the machine then does not affect one contestant alone, and an interrupted
/// run has about the same number of trials of each. The contestants of a cell follow each other, in
/// a drawn order that the next repetition reverses. A steady change of the machine then cancels.
///
/// A session, which is one process, runs whole repetitions. The sessions follow each other.
package struct TrialPlan: Sendable {
  /// The trials in order.
  public private(set) var specifications: [TrialSpecification] = []

  private let contestants: [Contestant]
  private let cells: [Cell]
  private let seed: Seed
  private let warmupSeconds: Double
  private let seconds: Double

  private struct Cell {
    let workload: Workload
    let threads: Int
    let entries: Int
    let pace: Measurement.Pace
  }

  /// Plans every supported combination of the parameters.
  ///
  /// - Parameters:
  ///   - contestants: The collections to measure.
  ///   - workloads: The workloads; a contestant skips those that it does not support.
  ///   - threads: The numbers of threads.
  ///   - entries: The numbers of entries.
  ///   - trials: The number of repetitions, at least 1.
  ///   - sessions: The number of sessions that share the repetitions; traps unless it is positive.
  ///   - seed: The seed of the run.
  ///   - warmupSeconds: The duration of the warm-up of each trial.
  ///   - seconds: The duration of the timed part of each trial.
  ///   - paces: The paces; a contestant that does not support open loops skips them.
  package init(
    contestants: [Contestant], workloads: [Workload], threads: [Int], entries: [Int], trials: Int,
    sessions: Int = 1, seed: Seed, warmupSeconds: Double, seconds: Double,
    paces: [Measurement.Pace] = [.closed]
  ) {
    guard sessions > 0 else { fatalError("sessions must be positive, got \(sessions)") }
    self.contestants = contestants
    self.seed = seed
    self.warmupSeconds = warmupSeconds
    self.seconds = seconds
    var cells: [Cell] = []
    for workload in workloads {
      for threads in threads {
        for entries in entries {
          for pace in paces {
            cells.append(Cell(workload: workload, threads: threads, entries: entries, pace: pace))
          }
        }
      }
    }
    self.cells = cells
    let trials = max(1, trials)
    specifications = (1...trials).flatMap { number in
      repetition(number, session: (number - 1) * min(sessions, trials) / trials + 1)
    }
  }

  /// Returns the trials of one repetition, which may be one beyond those of `specifications`.
  ///
  /// - Parameters:
  ///   - number: The number of the repetition, from 1.
  ///   - session: The session that runs it, from 1.
  package func repetition(_ number: Int, session: Int) -> [TrialSpecification] {
    // A pair of repetitions shares its order.
    let isReversed = number.isMultiple(of: 2)
    var order = SplitMix64(seed: seed.derived(for: .order, index: isReversed ? number - 1 : number))
    var contestants = contestants
    order.shuffle(&contestants)
    if isReversed { contestants.reverse() }
    var cells = cells.map { cell in
      contestants.filter {
        $0.supports(cell.workload) && (cell.pace.mode == .closed || $0.isPaceable)
      }.map { contestant in
        TrialSpecification(
          contestant: contestant, workload: cell.workload, threads: cell.threads,
          entries: cell.entries,
          // One seed per repetition: contestants are compared on the same keys and schedules.
          seed: seed.derived(for: .trial, index: number), number: number, session: session,
          warmupSeconds: warmupSeconds, seconds: seconds, pace: cell.pace)
      }
    }
    var shuffling = SplitMix64(seed: seed.derived(for: .order, index: number))
    shuffling.shuffle(&cells)
    return Array(cells.joined())
  }

  /// The estimated duration of all trials.
  package var estimatedSeconds: Double {
    specifications.reduce(0) { $0 + $1.estimatedSeconds }
  }
}
