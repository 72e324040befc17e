import Primitives

/// The timed part of every trial, whatever is timed.
///
/// This function alone is specialized for a worker, and so for a collection and its elements. It calls
/// `operate` in one place: every further call would be another copy of each operation in the program.
/// Whatever happens once a batch or less often is the meter's, which is compiled once.
enum TimingLoop {
  /// Operates until `meter` ends the loop.
  ///
  /// With cross-module optimization the calls in it are direct, and for a backend that never suspends
  /// nothing in it does.
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

/// Counts the operations of a loop, times some of them, and decides when the loop ends.
///
/// A loop works in batches. A batch is either several operations that are not timed or a single one that
/// is. The loop reads the stop sign between batches: reading it after each operation costs the fastest
/// ones half a nanosecond.
struct OperationMeter<C: PacingClock> {
  private(set) var operations = 0
  /// The latencies of timed operations; nil where none is timed, or in an open loop.
  private(set) var recorder: LatencyRecorder?
  /// nil in a closed loop.
  private(set) var openLoop: OpenLoop?
  /// Ends the loop; nil where the number of operations or the schedule does.
  let stop: StopSign?

  private let clock: C
  private var isOver = false
  private var batch: Int
  private var stride: Int
  private var untilTimed: Int
  private var turnEnd = Int.max
  private var start = 0

  /// Times every `stride`-th operation until `stop` is up, the first one among them; none if it is nil.
  init(until stop: StopSign, stride: Int?, clock: C = MonotonicClock()) {
    self.stop = stop
    self.clock = clock
    self.stride = stride ?? .max
    recorder = stride.map { _ in LatencyRecorder() }
    batch = stride.map { min($0 - 1, 15) } ?? 16
    untilTimed = stride == nil ? .max : 0
  }

  /// Makes `count` operations and times none.
  ///
  /// Allocates nothing: the loop may run while bytes are counted.
  init(times count: Int, clock: C = MonotonicClock()) {
    stop = nil
    self.clock = clock
    batch = count
    stride = .max
    untilTimed = .max
  }

  /// Starts operations when `openLoop` says that they are due, and times each.
  init(_ openLoop: OpenLoop, clock: C) {
    stop = nil
    self.clock = clock
    self.openLoop = openLoop
    isOver = openLoop.isOver
    batch = 0
    stride = 1
    untilTimed = 0
  }

  /// Times every `stride`-th operation from now on, in a meter that times some.
  mutating func time(every stride: Int) {
    self.stride = stride
    batch = min(stride - 1, 15)
  }

  /// Lets the loop go on, and ends it after the first timed operation that ends at or after `turnEnd`.
  mutating func beginTurn(endingAt turnEnd: Int) {
    self.turnEnd = turnEnd
    isOver = false
  }

  /// How many operations the loop makes if there is no stop sign.
  var count: Int { batch }

  /// Counts operations that a loop of another language made.
  mutating func add(_ count: Int) { operations += count }

  @inline(__always)
  var isRunning: Bool {
    guard let stop else { return !isOver }
    return !isOver && !stop.isUp
  }

  /// Returns how many operations the next batch has, and notes the time if it is a timed one.
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

  /// How far apart samples must be for reading the clock to take at most a fiftieth of the time, and a
  /// fast operation's share of it at most a quarter of a nanosecond.
  static func stride(forNanosecondsPerOperation nanoseconds: Double) -> Int {
    let sampling = 2 * Clock.costNanoseconds + 30  // Two readings and the recording.
    let allowed = max(0.25, nanoseconds / 50)
    return max(1, Int((sampling / allowed).rounded(.up)))
  }
}

/// The meter of a trial; tests have others, with clocks of their own.
typealias Meter = OperationMeter<MonotonicClock>

/// Tells all workers of a trial when to stop.
///
/// The flag is alone on its cache lines because every worker reads it all the time.
final class StopSign: Sendable {
  private nonisolated(unsafe) let isSet: UnsafeMutablePointer<Atomic<Bool>>

  init() {
    isSet = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: Atomic<Bool>.self, capacity: 1)
    isSet.initialize(to: Atomic(false))
  }

  deinit {
    NodeMemory.deallocate(isSet)
  }

  // Relaxed, both: it says when, and hands nothing over.
  var isUp: Bool {
    @inline(__always) get { isSet.pointee.load(ordering: .relaxed) }
  }
  /// The sign as other languages look at it: a byte that becomes 1.
  var address: UnsafePointer<Bool> {
    UnsafeRawPointer(isSet).assumingMemoryBound(to: Bool.self)
  }
  func raise() { isSet.pointee.store(true, ordering: .relaxed) }
}
