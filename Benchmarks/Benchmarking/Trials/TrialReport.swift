import Measurements
import WeakCollections
import Workloads

/// What the timed phase came to, in numbers.
struct PhaseReport: Sendable {
  /// How long the common window was.
  var seconds: Double
  /// One for each worker, in their order.
  var workers: [WorkerReport]
  var epochs: EpochActivity?

  var operations: Int { workers.reduce(0) { $0 + $1.operations } }

  /// The workers of each role; all of them, without a role, where they do the same.
  func groups(of workload: Workload) -> [(role: Role?, workers: ArraySlice<WorkerReport>)] {
    if workload.roles.isEmpty { return [(nil, workers[...])] }
    var rest = workers[...]
    return workload.roles.map { role in
      defer { rest = rest.dropFirst(role.workers) }
      return (role, rest.prefix(role.workers))
    }
  }
}

/// What one worker of the timed phase did, in numbers.
struct WorkerReport: Sendable {
  /// Begun in the time that counts.
  var operations: Int
  /// From before its first operation to after its last, counted or not.
  var atWork: ClosedRange<Int>
  /// The part of it in which operations were counted.
  var counted: ClosedRange<Int>
  /// What its thread has used in that time; nil if the thread was not its own.
  var usage: ThreadUsage?
  var recorder = LatencyRecorder()
  var openLoop: OpenLoopTimes?

  var countedNanoseconds: Int { counted.upperBound - counted.lowerBound }
}

extension TrialResult {
  /// nil when nothing was done.
  init?(_ part: PhaseReport, of specification: TrialSpecification, bytes: ByteReport) {
    let operations = part.operations
    guard
      let throughput = Measurement.Throughput(
        seconds: part.seconds, operations: operations, threads: part.workers.count)
    else { return nil }
    let roles = Self.roles(part, bytes, specification)
    var contention = Measurement.Contention(part, specification.contestant)
    if !roles.isEmpty {
      // Of workers with different roles nobody asks for the same.
      (contention.jainIndex, contention.maxToMinOperations) = (nil, nil)
    }
    self.init(
      throughput: throughput, latency: part.workers[...].latency, contention: contention,
      bytes: bytes.bytes, roles: roles)
    if specification.isClosed {
      distributions = [LatencyDistribution("service", part.workers[...].recorder)]
    } else {
      addOpenLoop(of: part.workers)
    }
  }
}

extension TrialResult {
  private static func roles(
    _ part: PhaseReport, _ bytes: ByteReport, _ specification: TrialSpecification
  ) -> [Measurement.Role] {
    part.groups(of: specification.workload).compactMap { role, workers in
      guard let role else { return nil }
      var measured = Self.role(role.name, workers, part.seconds, isClosed: specification.isClosed)
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
}

extension ArraySlice<WorkerReport> {
  /// Of all samples of these workers; nothing where none was taken.
  fileprivate var latency: Measurement.Latency { recorder.latency }

  fileprivate var recorder: LatencyRecorder {
    var recorder = LatencyRecorder()
    for worker in self { recorder.add(worker.recorder) }
    return recorder
  }
}

extension Measurement.Contention {
  /// Of a phase in which something was done.
  init(_ timed: PhaseReport, _ contestant: Contestant) {
    let reports = timed.workers
    let operations = Double(reports.reduce(0) { $0 + $1.operations })
    func perOperation(_ count: (ThreadUsage) -> Int?) -> Double? {
      reports.total { $0.usage.flatMap(count).map(Double.init) }.map { $0 / operations }
    }
    self.init(
      jainIndex: JainIndex.of(reports.map { Double($0.operations) }),
      voluntarySwitchesPerOperation: perOperation(\.voluntarySwitches),
      involuntarySwitchesPerOperation: perOperation(\.involuntarySwitches),
      casFailuresPerOperation: contestant.countsFailedExchanges
        ? perOperation { $0.failedExchanges } : nil,
      runQueueWaitNanosecondsPerOperation: perOperation(\.runQueueNanoseconds),
      lockWaitShare: reports.sleepShare, maxToMinOperations: reports.maxToMinOperations,
      reclamation: Measurement.Reclamation(timed.epochs, perOperation: operations),
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
  /// Of all workers; nil if it is not known of one of them.
  fileprivate func total(_ amount: (WorkerReport) -> Double?) -> Double? {
    let amounts = compactMap(amount)
    return amounts.count == count ? amounts.reduce(0, +) : nil
  }

  /// The percentage of their time in which they slept.
  fileprivate var sleepShare: Double? {
    guard
      let asleep = total({ $0.usage?.sleepNanoseconds(of: $0.countedNanoseconds).map(Double.init) }
      ),
      let all = total({ Double($0.countedNanoseconds) }), all > 0
    else { return nil }
    return 100 * asleep / all
  }

  /// nil if one of them made none: then there is no number.
  fileprivate var maxToMinOperations: Double? {
    guard let most = map(\.operations).max(), let least = map(\.operations).min(), least > 0 else {
      return nil
    }
    return Double(most) / Double(least)
  }
}

extension Contestant {
  /// Whether its failed atomic exchanges are counted; the others have none of ours.
  fileprivate var countsFailedExchanges: Bool { design == .backend(.lockFree) }

  /// Whether it retires memory to the epoch domain that all collections share.
  var reclaimsByEpochs: Bool {
    design == .backend(.lockFree) || design == .backend(.bucketLock)
  }
}

extension TrialResult {
  mutating func addOpenLoop(of reports: [WorkerReport]) {
    let times = reports[...].openLoopTimes
    latency = times.latency
    openLoop = times.measured
    distributions = [
      LatencyDistribution("service", times.service),
      LatencyDistribution("intended", times.intended),
    ]
    // Who waits for the next operation to be due waits for nobody, in sleep or spinning, and how many each
    // starts is drawn.
    contention.voluntarySwitchesPerOperation = nil
    contention.lockWaitShare = nil
    contention.hardware = Measurement.Hardware()
    contention.jainIndex = nil
    contention.maxToMinOperations = nil
  }
}

extension OpenLoopTimes {
  /// How many were timed; percentiles are of two kinds, and elsewhere.
  var latency: Measurement.Latency {
    Measurement.Latency(samples: service.count, clockNanoseconds: Clock.costNanoseconds)
  }

  var measured: Measurement.OpenLoop {
    Measurement.OpenLoop(
      service: service.percentiles, intended: intended.percentiles, backlog: backlog)
  }
}

extension ArraySlice<WorkerReport> {
  /// Of all operations of these workers.
  var openLoopTimes: OpenLoopTimes {
    reduce(into: OpenLoopTimes()) { times, worker in worker.openLoop.map { times.add($0) } }
  }
}

/// What all rows of a run have in common.
package struct RowTemplate: Sendable {
  package let run: String
  package let environment: Measurement.Environment
  /// Of the plan that the trials are of, and its part, if it is in parts.
  package var plan: String?
  package var shard: String?

  package init(
    run: String, environment: Measurement.Environment, plan: String? = nil, shard: String? = nil
  ) {
    self.run = run
    self.environment = environment
    self.plan = plan
    self.shard = shard
  }

  /// The `number`th row of the run, of a trial that ended at `time`.
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

  /// Unique, as two runs may start in one second: `run-20261121T115700Z-3f2a`.
  package static func runName(
    at time: UTCTime, using generator: inout some RandomNumberGenerator
  ) -> String {
    let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
    return "run-\(time.compact)-\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
