import Measurements
import Threading
import Workloads

/// Something that is measured for the limits in one go.
public struct LimitProbe: Sendable {
  /// The limits that it is measured for.
  public let limits: [String]
  /// What each trial gives a value, unless it cannot be measured here.
  public let figures: [Figure]
  public let estimatedSeconds: Double
  private let body: @Sendable (Seed) async throws -> [Figure: Double]

  public init(
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
  public func measure(_ seed: Seed) async throws -> [Figure: Double] {
    try await body(seed)
  }

  /// What a progress bar says.
  public var label: String {
    figures.first.map { "\($0.table) \($0.row) \($0.column)" } ?? ""
  }
}

/// How long what is measured for the limits is measured.
public struct LimitTiming: Sendable {
  /// Of a timed part.
  public var seconds: Double
  public var warmupSeconds: Double

  public init(seconds: Double, warmupSeconds: Double) {
    self.seconds = seconds
    self.warmupSeconds = warmupSeconds
  }

  package var both: Double { seconds + warmupSeconds }

  /// For each of several parts of one trial.
  var half: LimitTiming { LimitTiming(seconds: seconds / 2, warmupSeconds: warmupSeconds / 2) }
}

/// What one thread does again and again while it is timed.
package protocol RepeatedWork: Sendable {
  /// Does it once.
  mutating func doOnce() async -> TimedOperations
}

/// What counts of what was done.
package struct TimedOperations: Sendable {
  package var operations: Int
  package var nanoseconds: Int

  package init(operations: Int = 0, nanoseconds: Int = 0) {
    self.operations = operations
    self.nanoseconds = nanoseconds
  }

  package static func += (sum: inout TimedOperations, more: TimedOperations) {
    sum.operations += more.operations
    sum.nanoseconds += more.nanoseconds
  }

  var perNanosecond: Double { Double(operations) / Double(max(1, nanoseconds)) }
}

extension LimitTiming {
  /// Repeats each work on a thread of its own, all at the same time; what an operation takes of all of
  /// them together, in nanoseconds.
  package func nanosecondsPerOperation<W: RepeatedWork>(_ works: [W]) async -> Double {
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
package func timed(_ operations: Int, _ body: () async -> Void) async -> TimedOperations {
  let start = Clock.now()
  await body()
  return TimedOperations(operations: operations, nanoseconds: Clock.now() - start)
}
