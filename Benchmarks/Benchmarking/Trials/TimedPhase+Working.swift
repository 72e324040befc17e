import Primitives

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
