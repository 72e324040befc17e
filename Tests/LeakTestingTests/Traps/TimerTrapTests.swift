import LeakTesting
import Testing

/// Calls again and again until it is invalidated, and until then is kept by whoever has it called: as Foundation's timer
/// is meant to be. On Linux that never lets go of its block, invalidated or not, so that even the fixed one would leak it.
final class Ticker {
  private var onTick: ((Ticker) -> Void)?

  init(onTick: @escaping (Ticker) -> Void) { self.onTick = onTick }

  func tick() { onTick?(self) }
  func invalidate() { onTick = nil }
}

/// The stopwatch keeps the ticker, the ticker its closure, and the closure the stopwatch. To invalidate the ticker in
/// `deinit` does not help: that is never called.
final class BrokenStopwatch {
  private(set) var seconds = 0
  private(set) var ticker: Ticker?

  func start() {
    ticker = Ticker { _ in self.seconds += 1 }
  }

  deinit { ticker?.invalidate() }
}

final class FixedStopwatch {
  private(set) var seconds = 0
  private(set) var ticker: Ticker?

  func start() {
    ticker = Ticker { [weak self] ticker in
      guard let self else { return ticker.invalidate() }
      seconds += 1
    }
  }

  func stop() { ticker?.invalidate() }
}

struct TimerTrapTests {
  @Test func `2.12 a timer whose closure captures its owner is reported`() async {
    let leak = await reportedLeak {
      let stopwatch = BrokenStopwatch()
      stopwatch.start()
      return stopwatch
    } mend: {
      $0.ticker?.invalidate()
    }
    #expect(
      leak?.isHeld(by: ".ticker -> LeakTestingTests.Ticker") == true,
      "\(leak?.description ?? "not reported")")
    #expect(
      leak?.isHeld(by: ".onTick -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.12 one whose closure captures it weakly, and that is stopped, is not`() {
    let stopwatch = track(FixedStopwatch())
    stopwatch.start()
    stopwatch.ticker?.tick()
    #expect(stopwatch.seconds == 1)
    stopwatch.stop()
  }
}
