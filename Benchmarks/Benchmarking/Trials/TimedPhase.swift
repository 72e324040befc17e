import Measurements
import Primitives
import Threading

/// Workers that all start together, run for a time and stop.
struct TimedPhase<S: TrialSubject> {
  /// What one worker did between the start and the stop.
  struct Report: Sendable {
    var worker: S.Worker
    var operations = 0
    var start = 0
    var end = 0
    var usage: ThreadUsage
    var recorder = LatencyRecorder()
  }

  let specification: TrialSpecification

  /// Runs the phase on a filled subject.
  func run(_ subject: S, prefilled: Int, on threads: [OwnedThreadExecutor]) async -> [Report] {
    let warmupEnd = StopSign()
    let stop = StopSign()
    let start = Rendezvous(count: threads.count)
    return await withTaskGroup(of: Report.self) { group in
      for (index, thread) in threads.enumerated() {
        let worker = subject.worker(at: index, prefilled: prefilled)
        group.addTask(executorPreference: thread) {
          await Self.work(worker, warmupEnd: warmupEnd, start: start, stop: stop)
        }
      }
      try? await Task.sleep(for: .seconds(specification.warmupSeconds))
      warmupEnd.raise()
      while !start.hasOpened { try? await Task.sleep(for: .milliseconds(1)) }
      try? await Task.sleep(for: .seconds(specification.seconds))
      stop.raise()
      var reports: [Report] = []
      for await report in group { reports.append(report) }
      return reports
    }
  }

  private static func work(
    _ worker: S.Worker, warmupEnd: StopSign, start: Rendezvous, stop: StopSign
  ) async -> Report {
    var worker = worker
    var unused = LatencyRecorder()
    let warmupStart = Clock.now()
    let warmups = await TimingLoop.run(
      &worker, until: warmupEnd, stride: .max, recorder: &unused)
    let nanoseconds = Double(Clock.now() - warmupStart) / Double(max(1, warmups))
    let stride = TimingLoop.stride(forNanosecondsPerOperation: nanoseconds)
    var recorder = LatencyRecorder()
    start.arrive()
    let usage = ThreadUsage.now()
    let begin = Clock.now()
    let operations = await TimingLoop.run(
      &worker, until: stop, stride: stride, recorder: &recorder)
    let end = Clock.now()
    return Report(
      worker: worker, operations: operations, start: begin, end: end,
      usage: ThreadUsage.now() - usage, recorder: recorder)
  }
}
