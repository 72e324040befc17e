import Primitives

#if canImport(Glibc)
  import Glibc
#endif

/// What the calling thread has used so far.
struct ThreadUsage: Sendable {
  var voluntarySwitches: Int?
  var involuntarySwitches: Int?
  var failedExchanges: Int
  /// On a core.
  var processorNanoseconds: Int?
  /// Ready to run, without a core.
  var runQueueNanoseconds: Int?
  var hardware = HardwareCounts()

  /// Takes some microseconds; `counters` are those of the calling thread.
  static func now(_ counters: borrowing HardwareCounters) -> ThreadUsage {
    var usage = ThreadUsage(failedExchanges: CurrentThread.failedExchanges)
    usage.hardware = counters.counts
    #if canImport(Glibc)
      var resources = rusage()
      // RUSAGE_THREAD, a name that glibc shows to GNU sources alone.
      if getrusage(__rusage_who_t(1), &resources) == 0 {
        usage.voluntarySwitches = resources.ru_nvcsw
        usage.involuntarySwitches = resources.ru_nivcsw
      }
      var time = timespec()
      if clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 {
        usage.processorNanoseconds = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
      }
      usage.runQueueNanoseconds = SchedulerStatistics.ofThisThread?.runQueueNanoseconds
    #endif
    return usage
  }

  static func - (later: ThreadUsage, earlier: ThreadUsage) -> ThreadUsage {
    func difference(_ path: KeyPath<ThreadUsage, Int?>) -> Int? {
      guard let later = later[keyPath: path], let earlier = earlier[keyPath: path] else {
        return nil
      }
      return later - earlier
    }
    return ThreadUsage(
      voluntarySwitches: difference(\.voluntarySwitches),
      involuntarySwitches: difference(\.involuntarySwitches),
      failedExchanges: later.failedExchanges - earlier.failedExchanges,
      processorNanoseconds: difference(\.processorNanoseconds),
      runQueueNanoseconds: difference(\.runQueueNanoseconds),
      hardware: later.hardware - earlier.hardware)
  }

  /// How long the thread neither ran nor was ready to, of `nanoseconds`; nil where the system does not
  /// say. It slept then: in a trial for a lock, a queue or an actor, as there is nothing else to sleep for.
  func sleepNanoseconds(of nanoseconds: Int) -> Int? {
    guard let processorNanoseconds, let runQueueNanoseconds else { return nil }
    // The three clocks are not read at one moment.
    return max(0, nanoseconds - processorNanoseconds - runQueueNanoseconds)
  }
}
