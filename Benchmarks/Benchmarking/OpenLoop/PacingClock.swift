import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A clock that a worker reads and waits for; a test has one that costs no time.
protocol PacingClock: Sendable {
  /// Nanoseconds since some moment before.
  func now() -> Int

  /// Returns at `time` or soon after, with the time then.
  func wait(until time: Int) -> Int
}

/// The monotonic clock. Far from the time it sleeps, so that others may use the core; for the last
/// microseconds it spins, since a sleeper wakes late.
///
/// Where there are more workers than cores, one that spins offers its core to the others each time it looks
/// at the clock: some of them may have work.
struct MonotonicClock: PacingClock {
  /// Later than that a sleeper hardly ever wakes.
  static let spinningNanoseconds = 60_000

  let offersCore: Bool

  init(workers: Int = 1) {
    offersCore = workers > Host.usableCores
  }

  @inline(__always)
  func now() -> Int { Clock.now() }

  @inline(__always)
  func wait(until time: Int) -> Int {
    var now = Clock.now()
    if time - now > Self.spinningNanoseconds {
      Clock.sleep(until: time - Self.spinningNanoseconds)
      now = Clock.now()
    }
    while now < time {
      if offersCore { sched_yield() } else { spinHint() }
      now = Clock.now()
    }
    return now
  }
}

extension Clock {
  /// Blocks the calling thread; a signal may end it early.
  @inline(never)
  static func sleep(until time: Int) {
    #if canImport(Darwin)
      let rest = max(0, time - now())
      var request = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
      nanosleep(&request, nil)
    #else
      var request = timespec(tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000)
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &request, nil)
    #endif
  }
}
