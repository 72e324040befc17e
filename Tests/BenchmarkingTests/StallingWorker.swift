@testable import Benchmarking

/// A clock that stands still unless somebody works or waits.
final class SimulatedClock: PacingClock, @unchecked Sendable {
  // @unchecked: each test has its own, on one thread.
  var time = 0

  func now() -> Int { time }

  func wait(until time: Int) -> Int {
    self.time = max(self.time, time)
    return self.time
  }
}

/// A worker whose collection stalls now and then, as if somebody else held its lock.
struct StallingWorker: TrialWorker {
  let clock = SimulatedClock()
  private let operationTime: Int
  private let stall: Int
  private let interval: Int
  private var nextStall: Int
  private var end: (time: Int, flag: StopFlag)?

  /// Every `interval` nanoseconds it stalls for `stall`; at `first` for the first time.
  init(
    takes operationTime: Int, stalls stall: Int = 0, every interval: Int = .max,
    from first: Int? = nil
  ) {
    self.operationTime = operationTime
    self.stall = stall
    self.interval = interval
    nextStall = first ?? interval
  }

  mutating func ends(at time: Int, by flag: StopFlag) {
    end = (time, flag)
  }

  mutating func operate() async {
    if clock.time >= nextStall {
      clock.time += stall
      nextStall += interval
    }
    clock.time += operationTime
    if let end, clock.time >= end.time { end.flag.set() }
  }
}
