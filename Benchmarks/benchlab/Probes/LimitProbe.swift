import Benchmarking
import Measurements
import Threading
import Workloads

/// Something that is measured for the limits in one go.
struct LimitProbe: Sendable {
  /// The limits that it is measured for.
  let limits: [String]
  /// What each trial gives a value, unless it cannot be measured here.
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

  /// One trial. The same seed gives the same keys and operations.
  ///
  /// - Throws: when what is measured does not do what it promises.
  func measure(_ seed: Seed) async throws -> [Figure: Double] {
    try await body(seed)
  }

  /// What a progress bar says.
  var label: String {
    figures.first.map { "\($0.table) \($0.row) \($0.column)" } ?? ""
  }
}

/// How long what is measured for the limits is measured.
struct LimitTiming: Sendable {
  /// Of a timed part.
  var seconds: Double
  var warmupSeconds: Double

  init(seconds: Double, warmupSeconds: Double) {
    self.seconds = seconds
    self.warmupSeconds = warmupSeconds
  }

  var both: Double { seconds + warmupSeconds }

  /// For each of several parts of one trial.
  var half: LimitTiming { LimitTiming(seconds: seconds / 2, warmupSeconds: warmupSeconds / 2) }
}

/// What one thread does again and again while it is timed.
protocol RepeatedWork: Sendable {
  /// Does it once.
  mutating func doOnce() async -> TimedOperations
}

/// What counts of what was done.
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
  /// Repeats each work on a thread of its own, all at the same time; what an operation takes of all of
  /// them together, in nanoseconds.
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

/// The time that `body` takes for so many operations.
@inline(__always)
func timed(_ operations: Int, _ body: () async -> Void) async -> TimedOperations {
  let start = Clock.now()
  await body()
  return TimedOperations(operations: operations, nanoseconds: Clock.now() - start)
}
