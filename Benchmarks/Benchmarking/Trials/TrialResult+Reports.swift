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
  var operations: Int
  var start: Int
  var end: Int
  /// nil where a worker has no thread of its own.
  var usage: ThreadUsage?
  var recorder: LatencyRecorder
  var openLoop: OpenLoopTimes?
}

extension TimedPhase.Outcome {
  var numbers: PhaseReport {
    let workers = reports.map { report in
      WorkerReport(
        operations: report.operations, start: report.counted.lowerBound,
        end: report.counted.upperBound, usage: report.usage, recorder: report.recorder,
        openLoop: report.openLoop)
    }
    return PhaseReport(seconds: seconds, workers: workers, epochs: epochs)
  }
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
