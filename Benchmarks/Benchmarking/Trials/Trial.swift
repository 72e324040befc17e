import EpochReclamation
import Measurements
import Threading
import WeakCollections
import Workloads

/// One trial of one collection: timed, verified, and its bytes counted.
struct Trial {
  let specification: TrialSpecification
  /// Makes what is timed, once for each phase.
  let makeSubject: SubjectFactory

  func run() async throws(TrialFailure) -> TrialResult {
    let part = try await time()
    // What operations allocate does not depend on when they start.
    if specification.measuresThroughputAlone || !specification.isClosed { return try result(part) }
    let phase = BytePhase(
      specification: specification, makeSubject: makeSubject, operations: operations(part))
    // On threads of our own whatever the driver, since bytes are no matter of who runs the workers; and
    // on one more, as in the timed phase.
    let bytes = await OwnedThreadExecutor.with(1) { threads in
      await withTaskExecutorPreference(threads[0]) {
        await OwnedThreadExecutor.with(specification.threads) { await phase.run(on: $0) }
      }
    }
    return try result(part, bytes ?? ByteReport())
  }

  private func result(
    _ part: PhaseReport, _ bytes: ByteReport = ByteReport()
  ) throws(TrialFailure) -> TrialResult {
    guard let result = TrialResult(part, of: specification, bytes: bytes) else {
      throw failure("no operation was finished in \(specification.seconds) s")
    }
    return result
  }

  /// The timed phase, verified.
  private func time() async throws(TrialFailure) -> PhaseReport {
    // One thread more, for what is done before and after: a thread of a pool lives on, and what it has
    // retired waits in its bags, where nobody else can reclaim it.
    let timed = await OwnedThreadExecutor.with(1) { threads in
      await withTaskExecutorPreference(threads[0]) {
        await specification.driver.withExecutors(specification.threads) { await time(on: $0) }
      }
    }
    // Our threads are joined, the collection and its workers gone; what is in limbo goes now. A pool may
    // release the task of a worker some time after its result is there.
    let patience = specification.driver.ownsThreads ? 300 : 3000
    if let census = timed.census, !(await census.isEverybodyDead(withinMilliseconds: patience)) {
      throw failure("\(census.births) objects were made, \(census.deaths) died")
    }
    if let reason = timed.reason { throw failure(reason) }
    return timed.part
  }

  private func time(
    on executors: [any TaskExecutor]
  ) async -> (part: PhaseReport, census: Census?, reason: String?) {
    var subject = makeSubject(specification)
    subject.start()
    await subject.fill(specification.prefill)
    let workers = (0..<specification.threads).map {
      subject.worker(at: $0, prefilled: specification.prefill)
    }
    let report = await TimedPhase(specification: specification).run(workers, on: executors)
    let isVerified = specification.contestant.isVerified
    let reason = isVerified ? await subject.verify(workers.map(\.findings)) : nil
    return (report, subject.census, reason)
  }

  /// So many for each worker that the byte phase takes about 30 ms, were it not counting; as many for all
  /// workers of a role.
  private func operations(_ part: PhaseReport) -> [Int] {
    part.groups(of: specification.workload).flatMap { _, workers in
      let done = Double(workers.reduce(0) { $0 + $1.operations }) / Double(workers.count)
      let operations = part.seconds > 0 ? Int(0.03 * done / part.seconds) : 0
      return Array(repeating: min(20_000, max(200, operations)), count: workers.count)
    }
  }

  private func failure(_ reason: String) -> TrialFailure {
    TrialFailure(specification: specification, reason: reason)
  }
}

extension TrialSpecification {
  /// Makes the trial, on threads of its own.
  ///
  /// - Throws: when the collection does not do what it promises.
  public func run() async throws(TrialFailure) -> TrialResult {
    let makeSubject: SubjectFactory
    do {
      makeSubject = try await contestant.subjectFactory(for: workload)
    } catch {
      throw TrialFailure(specification: self, reason: "\(error)")
    }
    return try await Trial(specification: self, makeSubject: makeSubject).run()
  }

  /// How many entries there are when the clock starts.
  ///
  /// None where objects must be able to die: there the workers fill the array while they warm up.
  var prefill: Int {
    switch (contestant.collection, workload.behaviour) {
    case (.weakArray, .churning), (.weakArray, .monitoring), (.weakArray, .storming),
      (.weakArray, .dying), (.weakSet, .churning), (.weakSet, .monitoring):
      0
    default: workload.prefill(forSize: size)
    }
  }
}

extension Census {
  /// Reclaims what is in limbo until all are, or for about so long: somebody else in the process may be
  /// pinned for a while.
  fileprivate func isEverybodyDead(withinMilliseconds milliseconds: Int) async -> Bool {
    for _ in 0..<milliseconds {
      EpochDomain.shared.advance()
      if births == deaths { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}

/// What one trial showed; the measured part of its row.
public struct TrialResult: Codable, Hashable, Sendable {
  public var throughput: Measurement.Throughput
  public var latency: Measurement.Latency
  public var contention: Measurement.Contention
  public var bytes: Measurement.Bytes
  /// What each role did, in the workload's order; empty where workers have none.
  public var roles: [Measurement.Role] = []
  public var openLoop = Measurement.OpenLoop()
  /// Empty where no operation was timed by itself.
  public var distributions: [LatencyDistribution] = []
}

/// A trial whose collection did not do what it promises; it is no row.
public struct TrialFailure: Error, CustomStringConvertible {
  public let specification: TrialSpecification
  /// What was expected and what was found.
  public let reason: String

  package init(specification: TrialSpecification, reason: String) {
    self.specification = specification
    self.reason = reason
  }

  /// One line, with the seed.
  public var description: String {
    let contestant = specification.contestant
    return "\(contestant.collection.rawValue) \(contestant.name) \(specification.workload.name), "
      + "\(specification.threads) thread\(specification.threads == 1 ? "" : "s"), size \(specification.size), "
      + "seed \(specification.seed): \(reason)"
  }
}
