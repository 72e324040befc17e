import Measurements
import Primitives
import Threading

/// The timed phase of a trial: workers warm up, count operations in a common window, and stop.
///
/// The code is the same for every collection: it calls a worker once for each part of the phase.
struct TimedPhase {
  let specification: TrialSpecification
  /// The longest wait for a worker at either end of the common window.
  var patienceSeconds = 1.0

  /// Runs each worker on one of the executors; the collection is already filled.
  func run(_ workers: [AnyWorker], on executors: [any TaskExecutor]) async -> PhaseReport {
    specification.isClosed
      ? await runClosedLoop(workers, on: executors) : await runOpenLoop(workers, on: executors)
  }

  private func runClosedLoop(
    _ workers: [AnyWorker], on executors: [any TaskExecutor]
  ) async -> PhaseReport {
    let window = CommonWindow(workers: workers.count, patienceSeconds: patienceSeconds)
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

  /// Waits for the duration of the timed part.
  private func wait(noting epochs: inout EpochActivity?) async {
    guard epochs != nil else {
      try? await Task.sleep(for: .seconds(specification.seconds))
      return
    }
    await epochs?.note(forSeconds: specification.seconds)
  }

  /// Runs one worker from its warm-up to its end.
  private func work(_ worker: AnyWorker, in window: CommonWindow) async -> WorkerReport {
    let isTimed = !specification.measuresThroughputAlone
    let takesTurns = isTimed && !specification.driver.ownsThreads
    // The duration of an operation is still unknown, so the warm-up samples none. A worker that
    // takes turns needs the clock for the end of its turn.
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

  /// The time after which a worker yields a thread that other workers need.
  ///
  /// It is long compared with the cost of yielding, and short enough for several workers to share a
  /// thread.
  private static let turnNanoseconds = 1_000_000
  private static let warmupStride = 16

  /// Operates until the meter's stop flag is set, in turns if other workers need the thread.
  ///
  /// Yielding happens between operations: no latency includes it, but the duration of the trial
  /// does. A turn ends with a sample. The first operation of the next turn, on a thread that other
  /// workers have used, is therefore as likely to be sampled as any other.
  private func operate(_ worker: AnyWorker, _ meter: inout Meter, inTurns: Bool) async {
    guard inTurns, let stop = meter.stop else { return await worker.operate(&meter) }
    while !stop.isSet {
      meter.beginTurn(endingAt: Clock.now() + Self.turnNanoseconds)
      await worker.operate(&meter)
      await Task.yield()
    }
  }
}

extension TimedPhase {
  /// Runs an open loop, whose window is the period in which operations are due.
  ///
  /// Every worker knows its due times before it starts. Traps unless each executor is a separate
  /// thread, because workers sleep.
  private func runOpenLoop(
    _ workers: [AnyWorker], on executors: [any TaskExecutor]
  ) async -> PhaseReport {
    guard specification.driver.ownsThreads else {
      fatalError(
        "an open loop needs one thread per worker, which the driver "
          + "'\(specification.driver.rawValue)' does not give; use the driver 'threads'")
    }
    let warmupEnd = StopFlag()
    let start = Rendezvous(count: workers.count)
    return await withTaskGroup(of: (index: Int, report: WorkerReport).self) { group in
      for (index, worker) in workers.enumerated() {
        let schedule = ArrivalSchedule(specification, worker: index)
        group.addTask(executorPreference: executors[index]) {
          (index, await work(worker, by: schedule, warmupEnd: warmupEnd, start: start))
        }
      }
      try? await Task.sleep(for: .seconds(specification.warmupSeconds))
      warmupEnd.set()
      while !start.hasOpened { try? await Task.sleep(for: .milliseconds(1)) }
      var epochs = specification.contestant.reclaimsByEpochs ? EpochActivity() : nil
      await wait(noting: &epochs)
      let reports = await group.reduce(into: []) { $0.append($1) }
        .sorted { $0.index < $1.index }.map(\.report)
      epochs?.note()
      // The phase lasts from the first worker's start to the last worker's end.
      let begin = reports.map(\.counted.lowerBound).min() ?? 0
      let end = reports.map(\.counted.upperBound).max() ?? 0
      return PhaseReport(seconds: Double(end - begin) / 1e9, workers: reports, epochs: epochs)
    }
  }

  /// Runs one worker: it warms up without pauses, then operates according to its schedule.
  private func work(
    _ worker: AnyWorker, by schedule: ArrivalSchedule, warmupEnd: StopFlag, start: Rendezvous
  ) async -> WorkerReport {
    let times = OpenLoopTimes()  // Allocated before the clock starts.
    let clock = MonotonicClock(workers: specification.threads)
    TimerSlack.minimize()
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

/// The period in which all workers of a trial count operations.
///
/// 1. It opens when every worker is running. It closes after the requested time, but not before
///    every worker has counted one operation.
/// 2. No worker waits at either end. Workers check the flags between operations and never pause. A
///    worker counts operations from when it sees the window open until it sees the window closed.
/// 3. No worker stops before all have seen the window closed.
///
/// No operation is therefore counted while fewer than the requested number of workers are running,
/// which would make operations seem cheaper. A worker does not count the operation that is in
/// progress when the window opens, but counts the one in progress when it closes; on average, the
/// two cancel out.
final class CommonWindow: Sendable {
  let opening = StopFlag()
  let closing = StopFlag()
  let end = StopFlag()

  /// The number of workers that have not started yet.
  private let absent: Atomic<Int>
  /// The number of workers that have not counted an operation yet.
  private let uncounted: Atomic<Int>
  /// The number of workers that have not seen the window closed yet.
  private let counting: Atomic<Int>

  /// The longest wait for a worker: if others starve it, it finishes no operation, and so never
  /// checks the flags.
  private let patienceNanoseconds: Int

  init(workers: Int, patienceSeconds: Double) {
    absent = Atomic(workers)
    uncounted = Atomic(workers)
    counting = Atomic(workers)
    patienceNanoseconds = Int(patienceSeconds * 1e9)
  }

  // All relaxed: the counters only signal times, and publish no other memory.

  /// Records that a worker is running.
  func enter() { absent.wrappingSubtract(1, ordering: .relaxed) }

  /// Records that a worker has seen the window open, and has completed an operation since.
  func noteFirst() { uncounted.wrappingSubtract(1, ordering: .relaxed) }

  /// Records that a worker has seen the window closed.
  func leave() { counting.wrappingSubtract(1, ordering: .relaxed) }

  /// Suspends until all workers are running.
  func waitForAll() async {
    while absent.load(ordering: .relaxed) > 0 { await Self.pause() }
  }

  /// Opens the window, runs `pass`, closes the window, and returns how many seconds it was open.
  ///
  /// It closes later if a worker has not counted an operation yet.
  func count(while pass: () async -> Void) async -> Double {
    let start = Clock.now()
    opening.set()
    await pass()
    await wait { uncounted.load(ordering: .relaxed) }
    let end = Clock.now()
    closing.set()
    return Double(end - start) / 1e9
  }

  /// Stops all workers, once they have seen the window closed.
  func dismiss() async {
    await wait { counting.load(ordering: .relaxed) }
    end.set()
  }

  /// Suspends until the number of workers is 0, or patience runs out.
  private func wait(for workers: () -> Int) async {
    let latest = Clock.now() + patienceNanoseconds
    while workers() > 0 && Clock.now() < latest { await Self.pause() }
  }

  private static func pause() async {
    try? await Task.sleep(for: .milliseconds(1))
  }
}
