import CPerformanceCounters
import EpochReclamation
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

/// What the scheduler says of one thread, as Linux's procfs has it.
struct SchedulerStatistics: Equatable, Sendable {
  /// How long the thread was ready to run and had no core.
  var runQueueNanoseconds: Int

  /// Of a line with three numbers: on a core, ready to run, and how often it ran. A kernel that does not
  /// keep them writes three zeros: nil.
  init?(inStatistics line: String) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    let numbers = fields.compactMap { Int($0) }
    guard fields.count == 3, numbers.count == 3, numbers.contains(where: { $0 > 0 }) else {
      return nil
    }
    runQueueNanoseconds = numbers[1]
  }

  /// nil where the system does not say.
  static var ofThisThread: SchedulerStatistics? {
    #if canImport(Glibc)
      let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // Three numbers of at most twenty digits.
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return nil }
      return SchedulerStatistics(inStatistics: String(decoding: bytes[..<count], as: UTF8.self))
    #else
      return nil
    #endif
  }
}

/// The processor's counters for the thread that makes them, outside the kernel.
///
/// Counts nothing, and costs nothing, where the host has no counters or keeps them to itself, as most
/// virtual machines do.
struct HardwareCounters: ~Copyable {
  private let counters: cpc_counters?

  init() {
    counters = Self.availableEvents.isEmpty ? nil : cpc_open()
  }

  deinit {
    if let counters { cpc_close(counters) }
  }

  /// Up to now; each with what it missed while it had to share a counter added in proportion.
  var counts: HardwareCounts {
    HardwareCounts(
      cycles: count(CPC_CYCLES), instructions: count(CPC_INSTRUCTIONS),
      cacheMisses: count(CPC_CACHE_MISSES))
  }

  private func count(_ event: cpc_event) -> Double? {
    guard let counters, Self.availableEvents.contains(event) else { return nil }
    let count = cpc_read(counters, event)
    return count < 0 ? nil : count
  }

  /// Some hosts give a counter and never let it count.
  private static let availableEvents = [CPC_CYCLES, CPC_INSTRUCTIONS, CPC_CACHE_MISSES].filter(
    cpc_counts)
}

/// Events of one thread; nil is what the host does not count.
struct HardwareCounts: Equatable, Sendable {
  var cycles: Double?
  var instructions: Double?
  var cacheMisses: Double?

  static func - (later: HardwareCounts, earlier: HardwareCounts) -> HardwareCounts {
    func difference(_ later: Double?, _ earlier: Double?) -> Double? {
      guard let later, let earlier else { return nil }
      return max(0, later - earlier)
    }
    return HardwareCounts(
      cycles: difference(later.cycles, earlier.cycles),
      instructions: difference(later.instructions, earlier.instructions),
      cacheMisses: difference(later.cacheMisses, earlier.cacheMisses))
  }
}

/// Which figures of contention this host lets a trial have. What it does not is empty in a row.
public struct MeasuredContention: Equatable, Sendable {
  /// Whether the scheduler says how long a thread was ready to run without a core.
  public let hasRunQueueWait: Bool
  public let countsCycles: Bool
  public let countsInstructions: Bool
  public let countsCacheMisses: Bool

  /// Takes some microseconds, the first time.
  public static var ofThisHost: MeasuredContention {
    let counts = HardwareCounters().counts
    return MeasuredContention(
      hasRunQueueWait: SchedulerStatistics.ofThisThread != nil, countsCycles: counts.cycles != nil,
      countsInstructions: counts.instructions != nil,
      countsCacheMisses: counts.cacheMisses != nil)
  }
}

/// What the epoch domain that all collections share did while somebody looked.
struct EpochActivity: Equatable, Sendable {
  private let before: EpochTelemetry
  private var latest: EpochTelemetry
  /// The most entries that were retired and not reclaimed, whenever it was looked at.
  private(set) var limboPeakEntries: Int

  var advances: Int { latest.advances - before.advances }
  var failedAdvances: Int { latest.failedAdvances - before.failedAdvances }

  /// Begins with the domain as it is.
  init(of telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    before = telemetry
    latest = telemetry
    limboPeakEntries = telemetry.backlog
  }

  /// Looks again.
  mutating func note(_ telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    latest = telemetry
    limboPeakEntries = max(limboPeakEntries, telemetry.backlog)
  }

  /// How far apart samples are: a reading takes a microsecond and the reader's wake-up some more, together
  /// less than a thousandth of a core.
  private static let sampleSeconds = 0.01

  /// Looks again and again for so long.
  mutating func note(forSeconds seconds: Double) async {
    let end = ContinuousClock.now + .seconds(seconds)
    while case let left = end - ContinuousClock.now, left > .zero {
      try? await Task.sleep(for: min(left, .seconds(Self.sampleSeconds)))
      note()
    }
  }
}
