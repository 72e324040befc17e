import Measurements
import Primitives
import Threading

/// Workers that warm up, are counted in a window common to all, and stop.
struct TimedPhase<S: TrialSubject> {
  /// What one worker did.
  struct Report: Sendable {
    var worker: S.Worker
    /// Begun in the window.
    var operations = 0
    /// From before its first operation to after its last, counted or not.
    var atWork: ClosedRange<Int>
    /// The part of it in which operations were counted.
    var counted: ClosedRange<Int>
    /// What its thread has used in that time; nil if the thread was not its own.
    var usage: ThreadUsage?
    var recorder = LatencyRecorder()
    var openLoop: OpenLoopTimes?
  }

  /// What the whole phase came to.
  struct Outcome: Sendable {
    /// One for each worker, in their order.
    var reports: [Report]
    /// How long the window was.
    var seconds: Double
    /// nil for a collection without epoch reclamation.
    var epochs: EpochActivity?
  }

  let specification: TrialSpecification

  /// Runs the phase on a filled subject, a worker on each of the executors.
  func run(
    _ subject: S, prefilled: Int, on executors: [any TaskExecutor]
  ) async -> Outcome {
    guard specification.isClosed else {
      return await runOpenLoop(subject, prefilled: prefilled, on: executors)
    }
    let window = CommonWindow(workers: executors.count)
    return await withTaskGroup(of: (index: Int, report: Report).self) { group in
      for (index, executor) in executors.enumerated() {
        let worker = subject.worker(at: index, prefilled: prefilled)
        group.addTask(executorPreference: executor) {
          (index, await work(worker, in: window))
        }
      }
      await window.waitForAll()
      try? await Task.sleep(for: .seconds(specification.warmupSeconds))
      var epochs = specification.contestant.reclaimsByEpochs ? EpochActivity() : nil
      let seconds = await window.count { await wait(noting: &epochs) }
      epochs?.note()
      await window.dismiss()
      let reports = await group.reduce(into: []) { $0.append($1) }
      return Outcome(
        reports: reports.sorted { $0.index < $1.index }.map(\.report), seconds: seconds,
        epochs: epochs)
    }
  }

  /// Lets the timed part pass.
  func wait(noting epochs: inout EpochActivity?) async {
    guard epochs != nil else {
      try? await Task.sleep(for: .seconds(specification.seconds))
      return
    }
    await epochs?.note(forSeconds: specification.seconds)
  }
}
