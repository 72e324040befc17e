import EpochReclamation
import Measurements
import Threading
import WeakCollections
import Workloads

/// One trial of one collection: the timed phase, the verification and the byte phase.
struct Trial {
  let specification: TrialSpecification
  /// Creates the collection to measure, once per phase.
  let makeSubject: SubjectFactory
  /// The time after which objects that are still alive count as leaked. Only a leak reaches it: a
  /// busy machine may delay another thread of the process that is pinned, or a pool's thread that
  /// releases a worker's task after its result.
  var patienceMilliseconds = 60_000

  func run() async throws(TrialFailure) -> TrialResult {
    let phase = try await time()
    // The bytes of operations do not depend on their start times, so an open loop skips the phase.
    if specification.measuresThroughputAlone || !specification.isClosed { return try result(phase) }
    let bytePhase = BytePhase(
      specification: specification, makeSubject: makeSubject, operations: operations(phase))
    // On owned threads for every driver, because the bytes do not depend on the driver; and on one
    // more thread, as in the timed phase.
    let bytes = await OwnedThreadExecutor.with(1) { threads in
      await withTaskExecutorPreference(threads[0]) {
        await OwnedThreadExecutor.with(specification.threads) { await bytePhase.run(on: $0) }
      }
    }
    return try result(phase, bytes ?? ByteReport())
  }

  private func result(
    _ phase: PhaseReport, _ bytes: ByteReport = ByteReport()
  ) throws(TrialFailure) -> TrialResult {
    guard let result = TrialResult(phase, of: specification, bytes: bytes) else {
      throw failure(
        "no operation was finished in \(specification.seconds) s; run longer trials")
    }
    return result
  }

  /// Runs and verifies the timed phase.
  private func time() async throws(TrialFailure) -> PhaseReport {
    // One more thread for the code before and after the phase. A pool's thread would live on with
    // retired objects in its bags, where no other thread can reclaim them.
    let timed = await OwnedThreadExecutor.with(1) { threads in
      await withTaskExecutorPreference(threads[0]) {
        await specification.driver.withExecutors(specification.threads) { await time(on: $0) }
      }
    }
    // The owned threads are joined, and the collection and its workers are deallocated, so all of
    // limbo can be reclaimed.
    if let lifetimes = timed.lifetimes,
      !(await lifetimes.isEverybodyDead(withinMilliseconds: patienceMilliseconds))
    {
      throw failure(
        "\(lifetimes.births) objects were created, but \(lifetimes.deaths) died; "
          + "the collection leaks or over-releases")
    }
    if let reason = timed.reason { throw failure(reason) }
    return timed.report
  }

  private func time(
    on executors: [any TaskExecutor]
  ) async -> (report: PhaseReport, lifetimes: LifetimeCounter?, reason: String?) {
    var subject = makeSubject(specification)
    subject.start()
    await subject.fill(specification.prefill)
    let workers = (0..<specification.threads).map {
      subject.worker(at: $0, prefilled: specification.prefill)
    }
    let report = await TimedPhase(specification: specification).run(workers, on: executors)
    let isVerified = specification.contestant.isVerified
    let reason = isVerified ? await subject.verify(workers.map(\.findings)) : nil
    return (report, subject.lifetimes, reason)
  }

  /// Returns the number of operations of each worker in the byte phase.
  ///
  /// They would take about 30 ms without counting. All workers of a role get the same number.
  private func operations(_ phase: PhaseReport) -> [Int] {
    phase.groups(of: specification.workload).flatMap { _, workers in
      let done = Double(workers.reduce(0) { $0 + $1.operations }) / Double(workers.count)
      let operations = phase.seconds > 0 ? Int(0.03 * done / phase.seconds) : 0
      return Array(repeating: min(20_000, max(200, operations)), count: workers.count)
    }
  }

  private func failure(_ reason: String) -> TrialFailure {
    TrialFailure(specification: specification, reason: reason)
  }
}

extension TrialSpecification {
  /// Runs the trial, on its own threads.
  ///
  /// - Throws: `TrialFailure` if the collection breaks its contract, cannot be created, or
  ///   completes no operation.
  package func run() async throws(TrialFailure) -> TrialResult {
    let makeSubject: SubjectFactory
    do {
      makeSubject = try await contestant.subjectFactory(for: workload)
    } catch {
      throw TrialFailure(specification: self, reason: "\(error)")
    }
    return try await Trial(specification: self, makeSubject: makeSubject).run()
  }

  /// The number of entries before the warm-up.
  ///
  /// It is 0 for workloads in which objects die: their workers fill the collection in the warm-up.
  var prefill: Int {
    switch (contestant.collection, workload.behavior) {
    case (.weakArray, .churning), (.weakArray, .monitoring), (.weakArray, .storming),
      (.weakArray, .dying), (.weakSet, .churning), (.weakSet, .monitoring):
      0
    default: workload.prefill(forEntries: entries)
    }
  }
}

extension LifetimeCounter {
  /// Reclaims limbo until all objects are dead, or for about the given time.
  ///
  /// Another thread of the process may be pinned for a while, which delays reclamation.
  fileprivate func isEverybodyDead(withinMilliseconds milliseconds: Int) async -> Bool {
    for _ in 0..<milliseconds {
      EpochDomain.shared.advance()
      if births == deaths { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}

/// The result of one trial: the measured part of its row.
package struct TrialResult: Codable, Hashable, Sendable {
  /// The operations and their rate.
  package var throughput: Measurement.Throughput
  /// The durations of single operations.
  package var latency: Measurement.Latency
  /// The interference between the threads.
  package var contention: Measurement.Contention
  /// The allocated bytes.
  package var bytes: Measurement.Bytes
  /// The figures of each role, in the workload's order; empty if workers have no roles.
  package var roles: [Measurement.Role] = []
  /// The times of an open loop.
  package var openLoop = Measurement.OpenLoop()
  /// The full distributions of latencies; empty if no operation was timed individually, or the
  /// specification keeps none.
  package var distributions: [LatencyDistribution] = []
}

/// The error of a trial whose collection breaks its contract or completes no operation.
///
/// Such a trial has no row.
public struct TrialFailure: Error, CustomStringConvertible {
  /// The trial that failed.
  package let specification: TrialSpecification
  /// The expected and the actual behavior.
  public let reason: String

  package init(specification: TrialSpecification, reason: String) {
    self.specification = specification
    self.reason = reason
  }

  /// One line with the collection, the workload, the seed and the reason.
  public var description: String {
    let contestant = specification.contestant
    return "\(contestant.collection.rawValue) \(contestant.name) \(specification.workload.name), "
      + "\(specification.threads) \(specification.threads == 1 ? "thread" : "threads"), "
      + "\(specification.entries) \(specification.entries == 1 ? "entry" : "entries"), "
      + "seed \(specification.seed): \(reason)"
  }
}
