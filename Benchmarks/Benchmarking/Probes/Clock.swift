import CShims
import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The monotonic clock, in nanoseconds.
package enum Clock {
  /// Returns the nanoseconds since an arbitrary moment in the past.
  @inline(__always)
  package static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// Blocks the calling thread for the given time.
  static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }

  /// The median time between two consecutive readings, which every latency includes.
  package static let costNanoseconds: Double = {
    let rounds = (0..<101).map { _ in
      let count = 100
      let start = now()
      for _ in 0..<count { consume(now()) }
      return Double(now() - start) / Double(count + 1)
    }
    return rounds.sorted()[rounds.count / 2]
  }()

  /// The clock's resolution: the smallest step between readings, or `nil` if all readings are
  /// equal.
  ///
  /// Shorter times are indistinguishable from zero.
  package static var stepNanoseconds: Double? {
    var previous = now()
    var least: Int?
    for _ in 0..<10_000 {
      let time = now()
      if time > previous { least = min(least ?? .max, time - previous) }
      previous = time
    }
    return least.map(Double.init)
  }
}

/// A clock that a worker reads and waits on; tests replace it with a simulated one.
protocol PacingClock: Sendable {
  /// Returns the nanoseconds since an arbitrary moment in the past.
  func now() -> Int

  /// Blocks until `time` or slightly later, and returns the time then.
  func wait(until time: Int) -> Int
}

/// The monotonic clock, which first sleeps and then spins.
///
/// While the time is far away, a waiting worker sleeps, so that other threads can use the core. It
/// spins for the last microseconds, because sleepers wake late. If there are more workers than
/// cores, a spinning worker yields its core each time it reads the clock: another worker may have
/// work.
struct MonotonicClock: PacingClock {
  /// The time that a worker spins; longer than a sleeper is usually late.
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
  /// Blocks the calling thread until `time`; a signal may end the sleep early.
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

/// The delay by which Linux may postpone the end of a sleep, to wake several threads together.
enum TimerSlack {
  /// Sets the slack of the calling thread to the minimum; has no effect if that is not permitted.
  static func minimize() {
    #if canImport(Glibc)
      let file = open("/proc/\(CurrentThread.number)/timerslack_ns", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      // 0 would restore the default slack.
      _ = write(file, "1", 1)
      close(file)
    #endif
  }
}

/// Makes `value` appear used to the optimizer.
@inline(__always)
package func consume(_ value: Int) {
  cws_consume(value)
}

/// A moment in UTC, with a resolution of one second.
package struct UTCTime: Equatable, Sendable {
  package let secondsSince1970: Int

  package init(secondsSince1970: Int) {
    self.secondsSince1970 = secondsSince1970
  }

  package static var now: UTCTime { UTCTime(secondsSince1970: time(nil)) }

  /// The moment in ISO 8601, as in rows: `2026-11-21T11:57:00Z`.
  package var extended: String {
    let parts = parts
    return "\(parts.date.joined(separator: "-"))T\(parts.time.joined(separator: ":"))Z"
  }

  /// The moment in ISO 8601 without separators, as in file names: `20261121T115700Z`.
  package var compact: String {
    let parts = parts
    return "\(parts.date.joined())T\(parts.time.joined())Z"
  }

  private var parts: (date: [String], time: [String]) {
    var seconds = time_t(secondsSince1970)
    var moment = tm()
    gmtime_r(&seconds, &moment)
    let date = [Int(moment.tm_year) + 1900, Int(moment.tm_mon) + 1, Int(moment.tm_mday)]
    let time = [Int(moment.tm_hour), Int(moment.tm_min), Int(moment.tm_sec)]
    return (date.map(Self.padded), time.map(Self.padded))
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
