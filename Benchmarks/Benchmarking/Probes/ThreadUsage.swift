import Primitives

#if canImport(Glibc)
  import Glibc
#endif

/// What the calling thread has used so far.
struct ThreadUsage: Sendable {
  var voluntarySwitches: Int?
  var involuntarySwitches: Int?
  var failedExchanges: Int

  static func now() -> ThreadUsage {
    #if canImport(Glibc)
      var usage = rusage()
      // RUSAGE_THREAD, a name that glibc shows to GNU sources alone.
      let isKnown = getrusage(__rusage_who_t(1), &usage) == 0
      return ThreadUsage(
        voluntarySwitches: isKnown ? usage.ru_nvcsw : nil,
        involuntarySwitches: isKnown ? usage.ru_nivcsw : nil,
        failedExchanges: CurrentThread.failedExchanges)
    #else
      return ThreadUsage(failedExchanges: CurrentThread.failedExchanges)
    #endif
  }

  static func - (later: ThreadUsage, earlier: ThreadUsage) -> ThreadUsage {
    ThreadUsage(
      voluntarySwitches: difference(later.voluntarySwitches, earlier.voluntarySwitches),
      involuntarySwitches: difference(later.involuntarySwitches, earlier.involuntarySwitches),
      failedExchanges: later.failedExchanges - earlier.failedExchanges)
  }

  private static func difference(_ later: Int?, _ earlier: Int?) -> Int? {
    guard let later, let earlier else { return nil }
    return later - earlier
  }
}
