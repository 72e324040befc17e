import Benchmarking
import Measurements
import Threading
import Workloads

/// One measurement for the limits.
struct LimitProbe: Sendable {
  /// The names of the limits that need the measurement.
  let limits: [String]
  /// The figures of each trial. A trial has no value for a figure that this build cannot measure.
  let figures: [Figure]
  let estimatedSeconds: Double
  private let body: @Sendable (Seed) async throws -> [Figure: Double]

  init(
    for limits: [String], figures: [Figure], estimatedSeconds: Double,
    _ body: @escaping @Sendable (Seed) async throws -> [Figure: Double]
  ) {
    self.limits = limits
    self.figures = figures
    self.estimatedSeconds = estimatedSeconds
    self.body = body
  }

  /// Runs one trial; the same seed gives the same keys and operations.
  ///
  /// - Throws: An error if the measured code breaks its contract.
  func measure(_ seed: Seed) async throws -> [Figure: Double] {
    try await body(seed)
  }

  /// The description in the progress bar.
  var label: String {
    figures.first.map { "\($0.table) \($0.row) \($0.column)" } ?? ""
  }
}

/// The durations of a trial for the limits.
struct LimitTiming: Sendable {
  /// The duration of the timed part.
  var seconds: Double
  var warmupSeconds: Double

  init(seconds: Double, warmupSeconds: Double) {
    self.seconds = seconds
    self.warmupSeconds = warmupSeconds
  }

  var both: Double { seconds + warmupSeconds }

  /// The timing with half the durations, for a trial of two parts.
  var half: LimitTiming { LimitTiming(seconds: seconds / 2, warmupSeconds: warmupSeconds / 2) }
}

/// Work that one thread repeats while it is timed.
protocol RepeatedWork: Sendable {
  /// Does the work once and returns the timed operations.
  mutating func doOnce() async -> TimedOperations
}

/// A number of operations and their duration.
struct TimedOperations: Sendable {
  var operations: Int
  var nanoseconds: Int

  init(operations: Int = 0, nanoseconds: Int = 0) {
    self.operations = operations
    self.nanoseconds = nanoseconds
  }

  static func += (sum: inout TimedOperations, more: TimedOperations) {
    sum.operations += more.operations
    sum.nanoseconds += more.nanoseconds
  }

  var perNanosecond: Double { Double(operations) / Double(max(1, nanoseconds)) }
}

extension LimitTiming {
  /// Repeats each work on its own thread, all concurrently, and returns the nanoseconds per
  /// operation of all threads together.
  func nanosecondsPerOperation<W: RepeatedWork>(_ works: [W]) async -> Double {
    let start = Rendezvous(count: works.count)
    let reports = await OwnedThreadExecutor.with(works.count) { threads in
      await withTaskGroup(of: TimedOperations.self) { group in
        for (work, thread) in zip(works, threads) {
          group.addTask(executorPreference: thread) {
            var work = work
            _ = await repeated(&work, forSeconds: warmupSeconds)
            start.arrive()
            return await repeated(&work, forSeconds: seconds)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    return 1 / reports.reduce(0) { $0 + $1.perNanosecond }
  }

  private func repeated<W: RepeatedWork>(
    _ work: inout W, forSeconds seconds: Double
  ) async -> TimedOperations {
    let end = Clock.now() + Int(seconds * 1e9)
    var sum = TimedOperations()
    repeat { sum += await work.doOnce() } while Clock.now() < end
    return sum
  }
}

/// Runs `body`, which does the given number of operations, and returns its duration.
@inline(__always)
func timed(_ operations: Int, _ body: () async -> Void) async -> TimedOperations {
  let start = Clock.now()
  await body()
  return TimedOperations(operations: operations, nanoseconds: Clock.now() - start)
}
