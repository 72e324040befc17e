import Threading

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
