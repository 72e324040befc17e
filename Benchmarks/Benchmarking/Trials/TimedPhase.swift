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

extension TimedPhase {
  /// What a worker does from first to last, as its driver and its kind have it.
  func work(_ worker: S.Worker, in window: CommonWindow) async -> Report {
    if specification.measuresThroughputAlone { return await Self.workUntimed(worker, in: window) }
    return specification.driver.ownsThreads
      ? await Self.workOnThread(worker, in: window) : await Self.workInTurns(worker, in: window)
  }

  private static func workOnThread(_ worker: S.Worker, in window: CommonWindow) async -> Report {
    var worker = worker
    var unused = LatencyRecorder()
    var recorder = LatencyRecorder()
    let counters = HardwareCounters()
    window.enter()
    let warmupStart = Clock.now()
    let warmups = await TimingLoop.run(
      &worker, until: window.opening, stride: .max, recorder: &unused)
    let nanoseconds = Double(Clock.now() - warmupStart) / Double(max(1, warmups))
    let stride = TimingLoop.stride(forNanosecondsPerOperation: nanoseconds)
    let usage = ThreadUsage.now(counters)
    let start = Clock.now()
    await worker.operate()
    window.noteFirst()
    let operations = await TimingLoop.run(
      &worker, until: window.closing, stride: stride, recorder: &recorder)
    let end = Clock.now()
    let used = ThreadUsage.now(counters) - usage
    window.leave()
    _ = await TimingLoop.run(&worker, until: window.end)
    return Report(
      worker: worker, operations: operations + 1, atWork: warmupStart...Clock.now(),
      counted: start...end, usage: used, recorder: recorder)
  }

  /// The same, on a thread that others wait for.
  private static func workInTurns(_ worker: S.Worker, in window: CommonWindow) async -> Report {
    var worker = worker
    var unused = LatencyRecorder()
    var recorder = LatencyRecorder()
    window.enter()
    let warmupStart = Clock.now()
    let warmups = await TimingLoop.runInTurns(
      &worker, until: window.opening, stride: TimingLoop.warmupStride, recorder: &unused)
    let stride = TimingLoop.stride(
      forNanosecondsPerOperation: Double(Clock.now() - warmupStart) / Double(max(1, warmups)))
    let start = Clock.now()
    await worker.operate()
    window.noteFirst()
    let operations = await TimingLoop.runInTurns(
      &worker, until: window.closing, stride: stride, recorder: &recorder)
    let end = Clock.now()
    window.leave()
    _ = await TimingLoop.runInTurns(
      &worker, until: window.end, stride: TimingLoop.warmupStride, recorder: &unused)
    return Report(
      worker: worker, operations: operations + 1, atWork: warmupStart...Clock.now(),
      counted: start...end, recorder: recorder)
  }

  /// The same with no operation timed by itself.
  private static func workUntimed(_ worker: S.Worker, in window: CommonWindow) async -> Report {
    var worker = worker
    let counters = HardwareCounters()
    window.enter()
    let warmupStart = Clock.now()
    _ = await worker.operate(until: window.opening)
    let usage = ThreadUsage.now(counters)
    let start = Clock.now()
    await worker.operate()
    window.noteFirst()
    let operations = await worker.operate(until: window.closing)
    let end = Clock.now()
    let used = ThreadUsage.now(counters) - usage
    window.leave()
    _ = await worker.operate(until: window.end)
    return Report(
      worker: worker, operations: operations + 1, atWork: warmupStart...Clock.now(),
      counted: start...end, usage: used)
  }
}

extension TimedPhase {
  /// Runs an open loop: its window is when operations are due, which every worker knows before it starts.
  ///
  /// - Precondition: each executor is a thread of its own, since workers sleep.
  func runOpenLoop(
    _ subject: S, prefilled: Int, on executors: [any TaskExecutor]
  ) async -> Outcome {
    precondition(specification.driver.ownsThreads, "an open loop is on owned threads")
    let warmupEnd = StopSign()
    let start = Rendezvous(count: executors.count)
    return await withTaskGroup(of: (index: Int, report: Report).self) { group in
      for (index, executor) in executors.enumerated() {
        let worker = subject.worker(at: index, prefilled: prefilled)
        let schedule = ArrivalSchedule(specification, worker: index)
        group.addTask(executorPreference: executor) {
          (index, await paced(worker, by: schedule, warmupEnd: warmupEnd, start: start))
        }
      }
      try? await Task.sleep(for: .seconds(specification.warmupSeconds))
      warmupEnd.raise()
      while !start.hasOpened { try? await Task.sleep(for: .milliseconds(1)) }
      var epochs = specification.contestant.reclaimsByEpochs ? EpochActivity() : nil
      await wait(noting: &epochs)
      let reports = await group.reduce(into: []) { $0.append($1) }
      epochs?.note()
      return Outcome(
        openLoop: reports.sorted { $0.index < $1.index }.map(\.report), epochs: epochs)
    }
  }

  /// Warms up without a pause, then operates as the schedule says, and ends with it.
  private func paced(
    _ worker: S.Worker, by schedule: ArrivalSchedule, warmupEnd: StopSign, start: Rendezvous
  ) async -> Report {
    var worker = worker
    var times = OpenLoopTimes()
    let clock = MonotonicClock(workers: specification.threads)
    TimerSlack.giveUp()
    _ = await worker.operate(until: warmupEnd)
    let counters = HardwareCounters()
    start.arrive()
    let usage = ThreadUsage.now(counters)
    let begin = clock.now()
    let (operations, end) = await OpenLoop.run(
      &worker, schedule, from: begin, clock: clock, times: &times)
    return Report(
      worker: worker, operations: operations, atWork: begin...end, counted: begin...end,
      usage: ThreadUsage.now(counters) - usage, openLoop: times)
  }
}

extension TimedPhase.Outcome {
  /// From the first start to the last end.
  fileprivate init(openLoop reports: [TimedPhase.Report], epochs: EpochActivity?) {
    let start = reports.map(\.counted.lowerBound).min() ?? 0
    let end = reports.map(\.counted.upperBound).max() ?? 0
    self.init(reports: reports, seconds: Double(end - start) / 1e9, epochs: epochs)
  }
}

/// The time that counts, the same for all workers of a trial.
///
/// 1. It opens once every worker is at work, and closes after the time asked for, or later: when all have
///    been counted for one operation.
/// 2. Nobody waits at either end: a worker looks at the signs between operations, works on, and counts
///    from when it sees that the window has opened to when it sees that it has closed.
/// 3. Nobody stops before all have seen it close.
///
/// So no operation is counted while fewer workers than asked for are at work, which would make an
/// operation look cheaper than it is among so many. What a worker has begun when the window opens is not
/// counted, and what it has begun when it closes is; on average that is the same.
final class CommonWindow: Sendable {
  let opening = StopSign()
  let closing = StopSign()
  let end = StopSign()

  /// Workers that have not come so far yet.
  private let absent: Atomic<Int>
  private let uncounted: Atomic<Int>
  private let counting: Atomic<Int>

  /// How long all wait at most for one: others may keep it from ever finishing an operation, and then it
  /// does not look.
  private let patienceNanoseconds: Int

  init(workers: Int, patienceSeconds: Double = 1) {
    absent = Atomic(workers)
    uncounted = Atomic(workers)
    counting = Atomic(workers)
    patienceNanoseconds = Int(patienceSeconds * 1e9)
  }

  // Relaxed, all: they say when, and hand nothing over.

  /// Says that a worker is at work from now on.
  func enter() { absent.wrappingSubtract(1, ordering: .relaxed) }

  /// Says that a worker has seen the window open, and done an operation since.
  func noteFirst() { uncounted.wrappingSubtract(1, ordering: .relaxed) }

  /// Says that a worker has seen the window close.
  func leave() { counting.wrappingSubtract(1, ordering: .relaxed) }

  /// Returns once everyone is at work.
  func waitForAll() async {
    while absent.load(ordering: .relaxed) > 0 { await Self.pause() }
  }

  /// Opens the window, closes it when `pass` has returned or later, and returns how many seconds that was.
  func count(while pass: () async -> Void) async -> Double {
    let start = Clock.now()
    opening.raise()
    await pass()
    await wait { uncounted.load(ordering: .relaxed) }
    let end = Clock.now()
    closing.raise()
    return Double(end - start) / 1e9
  }

  /// Sends everyone home, once all have seen the window close.
  func dismiss() async {
    await wait { counting.load(ordering: .relaxed) }
    end.raise()
  }

  /// Returns when there is none left, or patience is at its end.
  private func wait(for workers: () -> Int) async {
    let latest = Clock.now() + patienceNanoseconds
    while workers() > 0 && Clock.now() < latest { await Self.pause() }
  }

  private static func pause() async {
    try? await Task.sleep(for: .milliseconds(1))
  }
}
