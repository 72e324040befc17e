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
}
