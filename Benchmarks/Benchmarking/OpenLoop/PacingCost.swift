import Measurements

/// What waiting for due times adds to intended times: an operation that does nothing, begun when it is due,
/// ends so long after.
public struct PacingCost: Sendable {
  public let intended: Measurement.Percentiles

  /// Takes about a quarter of a second. Blocks the calling thread, with gaps long enough to sleep in.
  public static func measure() async -> PacingCost {
    var worker = IdleWorker()
    var times = OpenLoopTimes()
    let clock = MonotonicClock()
    TimerSlack.giveUp()
    // 2,000 operations, so that 20 of them lie beyond p99.
    let schedule = ArrivalSchedule(gaps: [125_000], nanoseconds: 250_000_000)
    _ = await OpenLoop.run(
      &worker, schedule, from: clock.now(), clock: clock, times: &times)
    return PacingCost(intended: times.intended.percentiles)
  }

  private struct IdleWorker: TrialWorker {
    mutating func operate() async {}
  }
}
