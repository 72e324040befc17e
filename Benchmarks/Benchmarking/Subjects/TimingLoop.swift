import Histogram
import Measurements
import Primitives

/// The timed part of every trial.
///
/// Only this function is specialized for the type of the worker, and so for the collection and its
/// elements. It calls `operate` in one place, because each call would add another copy of all
/// operations to the program. The meter does everything that happens once per batch or less often,
/// and is compiled only once.
enum TimingLoop {
  /// Operates until `meter` ends the loop.
  ///
  /// With cross-module optimization, all calls in it are direct, and with a backend that never
  /// suspends, the loop never suspends.
  @inline(never)
  static func run<W: TrialWorker, C: PacingClock>(
    _ worker: inout W, _ meter: inout OperationMeter<C>
  ) async {
    while meter.isRunning {
      let count = meter.beginBatch()
      for _ in 0..<count { await worker.operate() }
      meter.endBatch(of: count)
    }
  }
}

/// A meter that counts the operations of a loop, times some of them, and ends the loop.
///
/// A loop works in batches. A batch is either several untimed operations or one timed operation.
/// The loop reads the stop flag between batches, because reading it after each operation would slow
/// fast operations down measurably.
struct OperationMeter<C: PacingClock> {
  private(set) var operations = 0
  /// The latencies of timed operations; `nil` if none is timed, and in an open loop.
  private(set) var recorder: LatencyRecorder?
  /// The open loop, or `nil` in a closed one.
  private(set) var openLoop: OpenLoop?
  /// The flag that ends the loop, or `nil` if the number of operations or the schedule does.
  let stop: StopFlag?

  private let clock: C
  private var isOver = false
  private var batch: Int
  private var stride: Int
  private var untilTimed: Int
  private var turnEnd = Int.max
  private var start = 0

  /// Creates a meter that runs until `stop` is set.
  ///
  /// - Parameters:
  ///   - stop: The flag that ends the loop.
  ///   - stride: The meter times the first operation and every `stride`-th after it; `nil` times
  ///     none.
  ///   - clock: The clock.
  init(until stop: StopFlag, stride: Int?, clock: C = MonotonicClock()) {
    self.stop = stop
    self.clock = clock
    self.stride = stride ?? .max
    recorder = stride.map { _ in LatencyRecorder() }
    batch = stride.map { min($0 - 1, 15) } ?? 16
    untilTimed = stride == nil ? .max : 0
  }

  /// Creates a meter for `count` untimed operations.
  ///
  /// It allocates nothing, so the loop may run while bytes are counted.
  init(times count: Int, clock: C = MonotonicClock()) {
    stop = nil
    self.clock = clock
    batch = count
    stride = .max
    untilTimed = .max
  }

  /// Creates a meter that starts every operation when it is due, and times each.
  init(_ openLoop: OpenLoop, clock: C) {
    stop = nil
    self.clock = clock
    self.openLoop = openLoop
    isOver = openLoop.isOver
    batch = 0
    stride = 1
    untilTimed = 0
  }

  /// Changes the stride of a meter that times operations.
  mutating func time(every stride: Int) {
    self.stride = stride
    batch = min(stride - 1, 15)
  }

  /// Continues the loop until the first timed operation that ends at or after `turnEnd`.
  mutating func beginTurn(endingAt turnEnd: Int) {
    self.turnEnd = turnEnd
    isOver = false
  }

  /// The number of operations of a loop without a stop flag.
  var count: Int { batch }

  /// Counts operations made by a loop in another language.
  mutating func add(_ count: Int) { operations += count }

  @inline(__always)
  var isRunning: Bool {
    guard let stop else { return !isOver }
    return !isOver && !stop.isSet
  }

  /// Returns the number of operations in the next batch, and records the start of a timed one.
  @inline(__always)
  mutating func beginBatch() -> Int {
    if untilTimed > 0 { return batch }
    start = openLoop == nil ? clock.now() : waitUntilDue()
    return 1
  }

  @inline(__always)
  mutating func endBatch(of count: Int) {
    operations &+= count
    if untilTimed > 0 {
      untilTimed &-= count
      if stop == nil { isOver = true }
    } else {
      endTimed(at: clock.now())
    }
  }

  @inline(never)
  private mutating func waitUntilDue() -> Int { openLoop!.waitUntilDue(clock) }

  @inline(never)
  private mutating func endTimed(at end: Int) {
    if openLoop != nil {
      openLoop!.record(from: start, to: end)
      isOver = openLoop!.isOver
      return
    }
    recorder?.record(end - start)
    untilTimed = stride - 1
    if end >= turnEnd { isOver = true }
  }

  /// Returns the stride at which reading the clock takes at most 2 % of the time.
  ///
  /// For fast operations, the limit is instead a quarter of a nanosecond per operation.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time of an operation.
  ///   - cost: The time of one reading, in nanoseconds.
  static func stride(
    forNanosecondsPerOperation nanoseconds: Double, clock cost: Double = Clock.costNanoseconds
  ) -> Int {
    let sampling = 2 * cost + 30  // Two readings and the recording.
    let allowed = max(0.25, nanoseconds / 50)
    return max(1, Int((sampling / allowed).rounded(.up)))
  }
}

/// The meter of a trial; tests use meters with simulated clocks.
typealias Meter = OperationMeter<MonotonicClock>

/// The stop flag of all workers of a trial.
///
/// It has its own cache lines, because every worker reads it all the time.
final class StopFlag: Sendable {
  private nonisolated(unsafe) let flag: UnsafeMutablePointer<Atomic<Bool>>

  init() {
    flag = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: Atomic<Bool>.self, capacity: 1)
    flag.initialize(to: Atomic(false))
  }

  deinit {
    NodeMemory.deallocate(flag)
  }

  // Both relaxed: the flag only signals a time, and publishes no other memory.
  var isSet: Bool {
    @inline(__always) get { flag.pointee.load(ordering: .relaxed) }
  }

  func set() { flag.pointee.store(true, ordering: .relaxed) }

  /// The address of the flag for other languages: a byte that becomes 1.
  var address: UnsafePointer<Bool> { UnsafeRawPointer(flag).assumingMemoryBound(to: Bool.self) }
}

/// A histogram of operation latencies of up to three hours, with three significant digits.
struct LatencyRecorder: Sendable {
  private static let highest: UInt64 = 10_800_000_000_000
  private var histogram = Histogram<UInt32>(highestTrackableValue: Self.highest)

  mutating func record(_ nanoseconds: Int) {
    _ = histogram.record(min(UInt64(max(1, nanoseconds)), Self.highest))
  }

  mutating func add(_ other: LatencyRecorder) {
    histogram.add(other.histogram)
  }

  /// The percentiles; a percentile with fewer than ten samples beyond it is `nil`.
  var latency: Measurement.Latency {
    Measurement.Latency(
      samples: Int(histogram.totalCount), clockNanoseconds: Clock.costNanoseconds,
      p50Nanoseconds: percentile(50), p90Nanoseconds: percentile(90),
      p99Nanoseconds: percentile(99), p999Nanoseconds: percentile(99.9),
      maxNanoseconds: histogram.totalCount == 0 ? nil : Double(histogram.max))
  }

  /// The percentiles of `latency`, and in addition the 99.99th.
  var percentiles: Measurement.Percentiles {
    let latency = latency
    return Measurement.Percentiles(
      p50Nanoseconds: latency.p50Nanoseconds, p90Nanoseconds: latency.p90Nanoseconds,
      p99Nanoseconds: latency.p99Nanoseconds, p999Nanoseconds: latency.p999Nanoseconds,
      p9999Nanoseconds: percentile(99.99), maxNanoseconds: latency.maxNanoseconds)
  }

  var count: Int { Int(histogram.totalCount) }

  /// The percentile distribution in HdrHistogram's text format, in nanoseconds.
  var distributionText: String {
    var text = ""
    histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
    return text
  }

  private func percentile(_ percent: Double) -> Double? {
    let beyond = Double(histogram.totalCount) * (100 - percent) / 100
    // The tolerance covers rounding errors when exactly ten samples lie beyond.
    return beyond >= 10 - 1e-6 ? Double(histogram.valueAtPercentile(percent)) : nil
  }
}

/// The full distribution of one kind of latency in a trial.
package struct LatencyDistribution: Codable, Hashable, Sendable {
  /// The kind: `service`, from start to end, or `intended`, from when an operation was due.
  package let name: String
  /// The number of latencies.
  package let count: Int
  /// The distribution in the format of HdrHistogram's tools, in nanoseconds.
  ///
  /// It has one line per percentile; the percentiles become denser towards 100 %.
  package let text: String

  init(_ name: String, _ recorder: LatencyRecorder) {
    self.name = name
    count = recorder.count
    text = recorder.distributionText
  }
}
