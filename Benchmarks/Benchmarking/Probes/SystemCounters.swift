import CAllocationCounting
import CPerformanceCounters
import EpochReclamation
import Primitives

#if canImport(Glibc)
  import Glibc
#endif

/// The resources that one thread has used.
struct ThreadUsage: Sendable {
  var voluntarySwitches: Int?
  var involuntarySwitches: Int?
  var failedCompareExchanges: Int
  /// The time that the thread ran.
  var processorNanoseconds: Int?
  /// The time that the thread was ready to run, but had no core.
  var runQueueNanoseconds: Int?
  var hardware = HardwareCounts()

  /// Returns the usage of the calling thread so far.
  ///
  /// - Parameter counters: The counters of the calling thread.
  static func now(_ counters: borrowing HardwareCounters) -> ThreadUsage {
    var usage = ThreadUsage(failedCompareExchanges: CurrentThread.failedCompareExchanges)
    usage.hardware = counters.counts
    #if canImport(Glibc)
      var resources = rusage()
      // 1 is RUSAGE_THREAD, a name that glibc declares only for GNU sources.
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
      failedCompareExchanges: later.failedCompareExchanges - earlier.failedCompareExchanges,
      processorNanoseconds: difference(\.processorNanoseconds),
      runQueueNanoseconds: difference(\.runQueueNanoseconds),
      hardware: later.hardware - earlier.hardware)
  }

  /// Returns how long the thread slept within `nanoseconds`: it neither ran nor was ready to run.
  ///
  /// In a trial, a thread only sleeps to wait for a lock, a queue or an actor.
  ///
  /// - Returns: `nil` if the system does not report both times.
  func sleepNanoseconds(of nanoseconds: Int) -> Int? {
    guard let processorNanoseconds, let runQueueNanoseconds else { return nil }
    // The three clocks are read at slightly different moments, so the difference may be negative.
    return max(0, nanoseconds - processorNanoseconds - runQueueNanoseconds)
  }
}

/// The scheduler's statistics of one thread, from Linux's procfs.
struct SchedulerStatistics: Equatable, Sendable {
  /// The time that the thread was ready to run, but had no core.
  var runQueueNanoseconds: Int

  /// Parses the line of procfs, or returns `nil` if it is malformed or all zeros.
  ///
  /// The line has three numbers: the time on a core, the time ready to run, and the number of time
  /// slices. A kernel without these statistics writes three zeros.
  init?(inStatistics line: String) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    let numbers = fields.compactMap { Int($0) }
    guard fields.count == 3, numbers.count == 3, numbers.contains(where: { $0 > 0 }) else {
      return nil
    }
    runQueueNanoseconds = numbers[1]
  }

  /// The statistics of the calling thread, or `nil` if the system does not report them.
  static var ofThisThread: SchedulerStatistics? {
    #if canImport(Glibc)
      let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // The buffer holds three numbers of at most 20 digits.
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return nil }
      return SchedulerStatistics(inStatistics: String(decoding: bytes[..<count], as: UTF8.self))
    #else
      return nil
    #endif
  }
}

/// The processor's counters of the thread that creates the value, outside the kernel.
///
/// On a host without accessible counters, such as most virtual machines, it counts nothing and has
/// no cost.
struct HardwareCounters: ~Copyable {
  private let counters: cpc_counters?

  init() {
    counters = Self.areAvailable ? cpc_open() : nil
  }

  deinit {
    if let counters { cpc_close(counters) }
  }

  /// The counts so far, scaled up for the time in which other events used the same hardware
  /// counter.
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

  /// Whether the host counts any event.
  static var areAvailable: Bool { !availableEvents.isEmpty }

  /// The events that really count; some hosts open a counter and never run it.
  private static let availableEvents = [CPC_CYCLES, CPC_INSTRUCTIONS, CPC_CACHE_MISSES].filter(
    cpc_counts)
}

/// The events of one thread; `nil` if the host does not count them.
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

/// The figures of contention that this host can measure; the others are empty in a row.
package struct MeasuredContention: Equatable, Sendable {
  /// Whether the scheduler reports how long a thread was ready to run without a core.
  package let hasRunQueueWait: Bool
  /// Whether the host counts processor cycles.
  package let countsCycles: Bool
  /// Whether the host counts instructions.
  package let countsInstructions: Bool
  /// Whether the host counts misses of the last-level cache.
  package let countsCacheMisses: Bool

  /// The figures that this host can measure; the first call tries each counter.
  package static var ofThisHost: MeasuredContention {
    let counts = HardwareCounters().counts
    return MeasuredContention(
      hasRunQueueWait: SchedulerStatistics.ofThisThread != nil, countsCycles: counts.cycles != nil,
      countsInstructions: counts.instructions != nil,
      countsCacheMisses: counts.cacheMisses != nil)
  }
}

/// The activity of the shared epoch domain over a period of time.
struct EpochActivity: Equatable, Sendable {
  private let before: EpochTelemetry
  private var latest: EpochTelemetry
  /// The maximum number of retired and not yet reclaimed entries in the samples.
  private(set) var limboPeakEntries: Int

  var advances: Int { latest.advances - before.advances }
  var failedAdvances: Int { latest.failedAdvances - before.failedAdvances }

  /// Starts a period with the present telemetry.
  init(of telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    before = telemetry
    latest = telemetry
    limboPeakEntries = telemetry.backlog
  }

  /// Takes a sample.
  mutating func note(_ telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    latest = telemetry
    limboPeakEntries = max(limboPeakEntries, telemetry.backlog)
  }

  /// The time between samples, long enough to take a negligible fraction of a core.
  private static let sampleSeconds = 0.01

  /// Takes samples for the given time.
  mutating func note(forSeconds seconds: Double) async {
    let end = ContinuousClock.now + .seconds(seconds)
    while case let left = end - ContinuousClock.now, left > .zero {
      try? await Task.sleep(for: min(left, .seconds(Self.sampleSeconds)))
      note()
    }
  }
}

/// A counter of the bytes that all threads of the process allocate and free.
///
/// Counting slows allocations down, so bytes and times are never measured together. A build without
/// the trait `Jemalloc` cannot count. At most one probe may exist at a time.
package struct AllocatorProbe: ~Copyable {
  /// The name of this build's allocator, as in the CSV.
  package static var name: String { cac_is_available() ? "jemalloc" : "system" }

  /// Whether this process counts bytes: the build supports it, and a known allocation is counted
  /// correctly.
  package static let isAvailable: Bool = {
    guard cac_is_available() else { return false }
    let probe = AllocatorProbe()
    // The probe also counts the allocations of other threads meanwhile. One correct attempt of many
    // is enough: if nothing is counted, no attempt is correct by chance.
    return (0..<1000).contains { _ in
      let before = probe.bytes
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      let between = probe.bytes
      memory.deallocate()
      let after = probe.bytes
      return between.allocated - before.allocated == 64 && after.freed - between.freed == 64
    }
  }()

  /// Starts counting; the probe's deinitialization stops it.
  package init() {
    cac_set_counting(true)
  }

  deinit {
    cac_set_counting(false)
  }

  /// The bytes counted so far.
  package var bytes: AllocatedBytes { .now }

  /// Resets the peak to the present live bytes.
  package func resetPeak() { cac_reset_peak() }
}

/// The bytes that the whole process allocated and freed while counting, in the allocator's size
/// classes.
package struct AllocatedBytes: Sendable, Equatable {
  /// The allocated bytes.
  package var allocated: Int
  /// The freed bytes.
  package var freed: Int
  /// The maximum of the live bytes over all allocations since the last `resetPeak`.
  package var peakLive: Int

  /// The bytes allocated and not freed.
  package var live: Int { allocated - freed }

  static var now: AllocatedBytes {
    let counts = cac_read()
    return AllocatedBytes(
      allocated: counts.allocated, freed: counts.freed, peakLive: counts.peak_live)
  }
}

/// The live bytes of the whole process, by jemalloc's own statistics.
///
/// Unlike `AllocatorProbe`, it does not slow allocations down. It is exact while no thread
/// allocates.
package enum LiveBytes {
  /// The present live bytes in the allocator's size classes, without the free memory in thread
  /// caches; `nil` without jemalloc.
  ///
  /// Reading it takes every lock of the allocator, so do not call it in a timed part.
  package static var now: Int? {
    let bytes = cac_read_live_bytes()
    return bytes < 0 ? nil : bytes
  }
}

/// The bytes that one thread has allocated and freed, in the allocator's size classes.
///
/// Memory that one thread allocates and another frees counts in the first thread's `allocated` and
/// the second thread's `freed`. The live bytes are therefore only the difference of the sums over
/// all threads.
struct ThreadBytes: Hashable, Sendable {
  /// The counter wraps around; differences are exact nevertheless.
  var allocated: UInt64
  var freed: UInt64

  static func - (later: ThreadBytes, earlier: ThreadBytes) -> ThreadBytes {
    ThreadBytes(
      allocated: later.allocated &- earlier.allocated, freed: later.freed &- earlier.freed)
  }

  static func + (one: ThreadBytes, other: ThreadBytes) -> ThreadBytes {
    ThreadBytes(allocated: one.allocated &+ other.allocated, freed: one.freed &+ other.freed)
  }
}

/// The allocator's counters of the thread that creates the value.
///
/// Only that thread may use them. Reading them takes two loads.
struct ThreadByteCounters {
  private let allocated: UnsafePointer<UInt64>
  private let freed: UnsafePointer<UInt64>

  /// Finds the calling thread's counters, or returns `nil` without jemalloc.
  init?() {
    let counters = cac_counters_of_this_thread()
    guard let allocated = counters.allocated, let freed = counters.freed else { return nil }
    self.allocated = allocated
    self.freed = freed
  }

  var now: ThreadBytes { ThreadBytes(allocated: allocated.pointee, freed: freed.pointee) }
}
