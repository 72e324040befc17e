#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The monotonic clock, in nanoseconds.
public enum Clock {
  /// Nanoseconds since some moment before.
  @inline(__always)
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// Blocks the calling thread.
  static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }

  /// What two readings with nothing between them are apart: the median of many; part of every latency.
  public static let costNanoseconds: Double = {
    let rounds = (0..<101).map { _ in
      let count = 100
      let start = now()
      for _ in 0..<count { consume(now()) }
      return Double(now() - start) / Double(count + 1)
    }
    return rounds.sorted()[rounds.count / 2]
  }()

  /// The least by which the clock goes on: no shorter time can be told from none; `nil` if it stood
  /// still through all readings.
  public static var stepNanoseconds: Double? {
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
