import Measurements
import WeakCollections
import Workloads

/// The results of the timed phase.
struct PhaseReport: Sendable {
  /// The duration of the common window.
  var seconds: Double
  /// The results of each worker, in order.
  var workers: [WorkerReport]
  var epochs: EpochActivity?

  var operations: Int { workers.reduce(0) { $0 + $1.operations } }

  /// Returns the workers of each role, or all workers as one group without a role.
  func groups(of workload: Workload) -> [(role: Role?, workers: ArraySlice<WorkerReport>)] {
    if workload.roles.isEmpty { return [(nil, workers[...])] }
    var rest = workers[...]
    return workload.roles.map { role in
      defer { rest = rest.dropFirst(role.workers) }
      return (role, rest.prefix(role.workers))
    }
  }
}

/// The results of one worker in the timed phase.
struct WorkerReport: Sendable {
  /// The counted operations.
  var operations: Int
  /// The time from before the first operation to after the last, counted or not.
  var atWork: ClosedRange<Int>
  /// The part of `atWork` in which operations were counted.
  var counted: ClosedRange<Int>
  /// The resources that the thread used while counting, or `nil` if the worker shares its thread.
  var usage: ThreadUsage?
  var recorder = LatencyRecorder()
  var openLoop: OpenLoopTimes?

  var countedNanoseconds: Int { counted.upperBound - counted.lowerBound }
}

extension TrialResult {
  /// Derives the figures of a row, or returns `nil` if no operation was completed.
  init?(_ phase: PhaseReport, of specification: TrialSpecification, bytes: ByteReport) {
    let operations = phase.operations
    guard
      let throughput = Measurement.Throughput(
        seconds: phase.seconds, operations: operations, threads: phase.workers.count)
    else { return nil }
    let roles = Self.roles(phase, bytes, specification)
    var contention = Measurement.Contention(phase, specification.contestant)
    if !roles.isEmpty {
      // Fairness has no meaning between workers with different roles.
      (contention.jainIndex, contention.maxToMinOperations) = (nil, nil)
    }
    self.init(
      throughput: throughput, latency: phase.workers[...].latency, contention: contention,
      bytes: bytes.bytes, roles: roles)
    if !specification.isClosed {
      addOpenLoop(of: phase.workers, keepingDistributions: specification.keepsDistributions)
    } else if specification.keepsDistributions {
      distributions = [LatencyDistribution("service", phase.workers[...].recorder)]
    }
  }

  private static func roles(
    _ phase: PhaseReport, _ bytes: ByteReport, _ specification: TrialSpecification
  ) -> [Measurement.Role] {
    phase.groups(of: specification.workload).compactMap { role, workers in
      guard let role else { return nil }
      var measured = Self.role(role.name, workers, phase.seconds, isClosed: specification.isClosed)
      let counted = bytes.perOperation(ofWorkers: workers.indices)
      measured.allocatedBytesPerOperation = counted?.allocated
      measured.freedBytesPerOperation = counted?.freed
      return measured
    }
  }

  private static func role(
    _ name: String, _ workers: ArraySlice<WorkerReport>, _ seconds: Double, isClosed: Bool
  ) -> Measurement.Role {
    let operations = workers.map(\.operations)
    guard !isClosed else {
      return Measurement.Role(
        name: name, operations: operations, seconds: seconds, latency: workers.latency)
    }
    let times = workers.openLoopTimes
    return Measurement.Role(
      name: name, operations: operations, seconds: seconds, latency: times.latency,
      openLoop: times.measured)
  }

  private mutating func addOpenLoop(
    of reports: [WorkerReport], keepingDistributions: Bool
  ) {
    let times = reports[...].openLoopTimes
    latency = times.latency
    openLoop = times.measured
    if keepingDistributions {
      distributions = [
        LatencyDistribution("service", times.service),
        LatencyDistribution("intended", times.intended),
      ]
    }
    // These figures would include the waiting for due times, by sleeping or spinning, which is no
    // contention. Fairness has no meaning, because the number of operations of each worker is
    // drawn.
    contention.voluntarySwitchesPerOperation = nil
    contention.lockWaitShare = nil
    contention.hardware = Measurement.Hardware()
    contention.jainIndex = nil
    contention.maxToMinOperations = nil
  }
}

extension ArraySlice<WorkerReport> {
  /// The latency over all samples of these workers.
  fileprivate var latency: Measurement.Latency { recorder.latency }

  fileprivate var recorder: LatencyRecorder {
    var recorder = LatencyRecorder()
    for worker in self { recorder.add(worker.recorder) }
    return recorder
  }

  /// The times of all operations of these workers in an open loop.
  fileprivate var openLoopTimes: OpenLoopTimes {
    reduce(into: OpenLoopTimes()) { times, worker in worker.openLoop.map { times.add($0) } }
  }
}

extension Measurement.Contention {
  /// Derives the figures of a phase with at least one operation.
  init(_ phase: PhaseReport, _ contestant: Contestant) {
    let reports = phase.workers
    let operations = Double(reports.reduce(0) { $0 + $1.operations })
    func perOperation(_ count: (ThreadUsage) -> Int?) -> Double? {
      reports.total { $0.usage.flatMap(count).map(Double.init) }.map { $0 / operations }
    }
    self.init(
      jainIndex: JainIndex.of(reports.map { Double($0.operations) }),
      voluntarySwitchesPerOperation: perOperation(\.voluntarySwitches),
      involuntarySwitchesPerOperation: perOperation(\.involuntarySwitches),
      casFailuresPerOperation: contestant.countsFailedCompareExchanges
        ? perOperation { $0.failedCompareExchanges } : nil,
      runQueueWaitNanosecondsPerOperation: perOperation(\.runQueueNanoseconds),
      lockWaitShare: reports.sleepShare, maxToMinOperations: reports.maxToMinOperations,
      reclamation: Measurement.Reclamation(phase.epochs, perOperation: operations),
      hardware: Measurement.Hardware(reports, perOperation: operations))
  }
}

extension Measurement.Reclamation {
  fileprivate init(_ activity: EpochActivity?, perOperation operations: Double) {
    self.init(
      advancesPerOperation: activity.map { Double($0.advances) / operations },
      failedAdvancesPerOperation: activity.map { Double($0.failedAdvances) / operations },
      limboPeakEntries: activity?.limboPeakEntries)
  }
}

extension Measurement.Hardware {
  fileprivate init(_ reports: [WorkerReport], perOperation operations: Double) {
    func perOperation(_ count: (HardwareCounts) -> Double?) -> Double? {
      reports.total { $0.usage.flatMap { count($0.hardware) } }.map { $0 / operations }
    }
    self.init(
      cyclesPerOperation: perOperation(\.cycles),
      instructionsPerOperation: perOperation(\.instructions),
      cacheMissesPerOperation: perOperation(\.cacheMisses))
  }
}

extension [WorkerReport] {
  /// Returns the sum over all workers, or `nil` if the amount of one worker is unknown.
  fileprivate func total(_ amount: (WorkerReport) -> Double?) -> Double? {
    let amounts = compactMap(amount)
    return amounts.count == count ? amounts.reduce(0, +) : nil
  }

  /// The percentage of the workers' time in which they slept.
  fileprivate var sleepShare: Double? {
    guard
      let asleep = total({ $0.usage?.sleepNanoseconds(of: $0.countedNanoseconds).map(Double.init) }
      ),
      let all = total({ Double($0.countedNanoseconds) }), all > 0
    else { return nil }
    return 100 * asleep / all
  }

  /// The operations of the busiest worker divided by those of the idlest, or `nil` if those are 0.
  fileprivate var maxToMinOperations: Double? {
    guard let most = map(\.operations).max(), let least = map(\.operations).min(), least > 0 else {
      return nil
    }
    return Double(most) / Double(least)
  }
}

extension Contestant {
  /// Whether failed compare-exchange operations are counted; only the lock-free backend has any.
  fileprivate var countsFailedCompareExchanges: Bool { design == .backend(.lockFree) }

  /// Whether the collection retires memory to the shared epoch domain.
  var reclaimsByEpochs: Bool {
    design == .backend(.lockFree) || design == .backend(.bucketLock)
  }
}

extension OpenLoopTimes {
  /// The number of samples only; `measured` has the percentiles, of two kinds.
  fileprivate var latency: Measurement.Latency {
    Measurement.Latency(samples: service.count, clockNanoseconds: Clock.costNanoseconds)
  }

  fileprivate var measured: Measurement.OpenLoop {
    Measurement.OpenLoop(
      service: service.percentiles, intended: intended.percentiles, backlog: backlog)
  }
}

/// The common fields of all rows of a run.
package struct RowTemplate: Sendable {
  package let run: String
  package let environment: Measurement.Environment
  /// The plan of the trials.
  package var plan: String?
  /// The shard of the plan, or `nil` if the run has all of it.
  package var shard: String?

  package init(
    run: String, environment: Measurement.Environment, plan: String? = nil, shard: String? = nil
  ) {
    self.run = run
    self.environment = environment
    self.plan = plan
    self.shard = shard
  }

  /// Returns the row of a trial.
  ///
  /// - Parameters:
  ///   - number: The number of the row in the run.
  ///   - trial: The trial.
  ///   - result: The figures of the trial.
  ///   - time: The end of the trial.
  package func measurement(
    number: Int, _ trial: TrialSpecification, _ result: TrialResult, at time: UTCTime
  ) -> Measurement {
    var measurement = Measurement(
      identity: Measurement.Identity(
        row: "\(run)-\(number)", kind: trial.contestant.kind, run: run, timestamp: time.extended,
        plan: plan, shard: shard),
      environment: environment, configuration: trial.configuration, trial: trial.trial,
      throughput: result.throughput, latency: result.latency, contention: result.contention,
      bytes: result.bytes, openLoop: result.openLoop)
    measurement.roles = result.roles
    return measurement
  }

  /// Returns a name for a run, such as `run-20261121T115700Z-3f2a`.
  ///
  /// The random suffix distinguishes runs that start in the same second.
  package static func runName(
    at time: UTCTime, using generator: inout some RandomNumberGenerator
  ) -> String {
    let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
    return "run-\(time.compact)-\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
