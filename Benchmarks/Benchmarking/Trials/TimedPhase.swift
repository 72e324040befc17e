import Measurements
import Primitives
import Threading

/// Workers that warm up, are counted in a window common to all, and stop.
///
/// Whatever is timed, this code is the same: it calls a worker once for each part of the phase.
struct TimedPhase {
  let specification: TrialSpecification

  /// Runs each of the workers, whose collection is filled, on one of the executors.
  func run(_ workers: [AnyWorker], on executors: [any TaskExecutor]) async -> PhaseReport {
    specification.isClosed
      ? await runClosedLoop(workers, on: executors) : await runOpenLoop(workers, on: executors)
  }

  private func runClosedLoop(
    _ workers: [AnyWorker], on executors: [any TaskExecutor]
  ) async -> PhaseReport {
    let window = CommonWindow(workers: workers.count)
    return await withTaskGroup(of: (index: Int, report: WorkerReport).self) { group in
      for (index, worker) in workers.enumerated() {
        group.addTask(executorPreference: executors[index]) {
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
      return PhaseReport(
        seconds: seconds, workers: reports.sorted { $0.index < $1.index }.map(\.report),
        epochs: epochs)
    }
  }

  /// Lets the timed part pass.
  private func wait(noting epochs: inout EpochActivity?) async {
    guard epochs != nil else {
      try? await Task.sleep(for: .seconds(specification.seconds))
      return
    }
    await epochs?.note(forSeconds: specification.seconds)
  }

  /// What a worker does from first to last.
  private func work(_ worker: AnyWorker, in window: CommonWindow) async -> WorkerReport {
    let isTimed = !specification.measuresThroughputAlone
    let takesTurns = isTimed && !specification.driver.ownsThreads
    // Nobody knows yet how long an operation takes. In turns the clock is read all the same.
    let warmupStride = takesTurns ? Self.warmupStride : .max
    var warmup = Meter(until: window.opening, stride: isTimed ? warmupStride : nil)
    var timed = Meter(until: window.closing, stride: isTimed ? 1 : nil)
    var rest = Meter(until: window.end, stride: takesTurns ? warmupStride : nil)
    var first = Meter(times: 1)
    let counters = HardwareCounters()
    window.enter()
    let warmupStart = Clock.now()
    await operate(worker, &warmup, inTurns: takesTurns)
    if isTimed {
      let nanoseconds = Double(Clock.now() - warmupStart) / Double(max(1, warmup.operations))
      timed.time(every: Meter.stride(forNanosecondsPerOperation: nanoseconds))
    }
    let usage = takesTurns ? nil : ThreadUsage.now(counters)
    let start = Clock.now()
    await worker.operate(&first)
    window.noteFirst()
    await operate(worker, &timed, inTurns: takesTurns)
    let end = Clock.now()
    let used = usage.map { ThreadUsage.now(counters) - $0 }
    window.leave()
    await operate(worker, &rest, inTurns: takesTurns)
    return WorkerReport(
      operations: timed.operations + 1, atWork: warmupStart...Clock.now(), counted: start...end,
      usage: used, recorder: timed.recorder ?? LatencyRecorder())
  }

  /// How long a worker keeps a thread that others wait for.
  ///
  /// Handing it on costs a few microseconds, so less than a hundredth; and with four workers to a thread
  /// each is back after 3 ms.
  private static let turnNanoseconds = 1_000_000
  private static let warmupStride = 16

  /// Operates until the meter's sign is up, if need be in turns between which others get the thread.
  ///
  /// Handing on lies between operations, and is in no latency. It is in the time of the trial. A turn ends
  /// with a sample: the first operation of the next, on a thread that others have used, is no more likely
  /// than any other to be one.
  private func operate(_ worker: AnyWorker, _ meter: inout Meter, inTurns: Bool) async {
    guard inTurns, let stop = meter.stop else { return await worker.operate(&meter) }
    while !stop.isUp {
      meter.beginTurn(endingAt: Clock.now() + Self.turnNanoseconds)
      await worker.operate(&meter)
      await Task.yield()
    }
  }
}

extension TimedPhase {
  /// Runs an open loop: its window is when operations are due, which every worker knows before it starts.
  ///
  /// - Precondition: each executor is a thread of its own, since workers sleep.
  private func runOpenLoop(
    _ workers: [AnyWorker], on executors: [any TaskExecutor]
  ) async -> PhaseReport {
    precondition(specification.driver.ownsThreads, "an open loop needs a thread for each worker")
    let warmupEnd = StopSign()
    let start = Rendezvous(count: workers.count)
    return await withTaskGroup(of: (index: Int, report: WorkerReport).self) { group in
      for (index, worker) in workers.enumerated() {
        let schedule = ArrivalSchedule(specification, worker: index)
        group.addTask(executorPreference: executors[index]) {
          (index, await work(worker, by: schedule, warmupEnd: warmupEnd, start: start))
        }
      }
      try? await Task.sleep(for: .seconds(specification.warmupSeconds))
      warmupEnd.raise()
      while !start.hasOpened { try? await Task.sleep(for: .milliseconds(1)) }
      var epochs = specification.contestant.reclaimsByEpochs ? EpochActivity() : nil
      await wait(noting: &epochs)
      let reports = await group.reduce(into: []) { $0.append($1) }
        .sorted { $0.index < $1.index }.map(\.report)
      epochs?.note()
      // From the first start to the last end.
      let begin = reports.map(\.counted.lowerBound).min() ?? 0
      let end = reports.map(\.counted.upperBound).max() ?? 0
      return PhaseReport(seconds: Double(end - begin) / 1e9, workers: reports, epochs: epochs)
    }
  }

  /// Warms up without a pause, then operates as the schedule says, and ends with it.
  private func work(
    _ worker: AnyWorker, by schedule: ArrivalSchedule, warmupEnd: StopSign, start: Rendezvous
  ) async -> WorkerReport {
    let times = OpenLoopTimes()  // Allocated before the clock starts.
    let clock = MonotonicClock(workers: specification.threads)
    TimerSlack.giveUp()
    var warmup = Meter(until: warmupEnd, stride: nil)
    await worker.operate(&warmup)
    let counters = HardwareCounters()
    start.arrive()
    let usage = ThreadUsage.now(counters)
    let begin = clock.now()
    var meter = Meter(OpenLoop(schedule, from: begin, times: consume times), clock: clock)
    await worker.operate(&meter)
    let end = meter.openLoop?.now ?? begin
    return WorkerReport(
      operations: meter.operations, atWork: begin...end, counted: begin...end,
      usage: ThreadUsage.now(counters) - usage, openLoop: meter.openLoop?.times)
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
