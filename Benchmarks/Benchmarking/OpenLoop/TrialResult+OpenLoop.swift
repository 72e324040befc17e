import Measurements

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
