import Measurements
import WeakCollections

/// What one worker of the timed phase did, in numbers.
struct WorkerReport: Sendable {
  var operations: Int
  var start: Int
  var end: Int
  var usage: ThreadUsage
  var recorder: LatencyRecorder

  var seconds: Double { Double(end - start) / 1e9 }
}

extension TimedPhase.Report {
  var numbers: WorkerReport {
    WorkerReport(
      operations: operations, start: start, end: end, usage: usage, recorder: recorder)
  }
}

extension TrialResult {
  /// nil when nothing was done.
  init?(
    _ reports: [WorkerReport], of specification: TrialSpecification, bytes: Measurement.Bytes
  ) {
    let operations = reports.reduce(0) { $0 + $1.operations }
    let start = reports.map(\.start).min() ?? 0
    let end = reports.map(\.end).max() ?? 0
    guard
      let throughput = Measurement.Throughput(
        seconds: Double(end - start) / 1e9, operations: operations, threads: reports.count)
    else { return nil }
    var recorder = LatencyRecorder()
    for report in reports { recorder.add(report.recorder) }
    self.init(
      throughput: throughput, latency: recorder.latency,
      contention: Self.contention(reports, operations, specification.contestant), bytes: bytes)
  }

  private static func contention(
    _ reports: [WorkerReport], _ operations: Int, _ contestant: Contestant
  ) -> Measurement.Contention {
    func perOperation(_ count: (ThreadUsage) -> Int?) -> Double? {
      let counts = reports.compactMap { count($0.usage) }
      guard counts.count == reports.count else { return nil }
      return Double(counts.reduce(0, +)) / Double(operations)
    }
    return Measurement.Contention(
      jainIndex: JainIndex.of(reports.map { Double($0.operations) }),
      voluntarySwitchesPerOperation: perOperation(\.voluntarySwitches),
      involuntarySwitchesPerOperation: perOperation(\.involuntarySwitches),
      casFailuresPerOperation: contestant.countsFailedExchanges
        ? perOperation { $0.failedExchanges } : nil)
  }
}

extension Contestant {
  /// Whether its failed atomic exchanges are counted; the others have none of ours.
  fileprivate var countsFailedExchanges: Bool { design == .backend(.lockFree) }
}
