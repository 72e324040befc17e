import Threading

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
